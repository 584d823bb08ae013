//! The end that programs log to.

use crate::fields::Fields;
use crate::watch::{Shared, SpanTrace};
use std::sync::Arc;
use traceward::{State, Value};
use tracing_core::span::{Attributes, Id, Record};
use tracing_core::{Event, Metadata, Subscriber};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::{LookupSpan, SpanRef};

/// Makes states of events and spans.
pub struct Layer {
    pub(crate) shared: Arc<Shared>,
}

impl<S: Subscriber + for<'l> LookupSpan<'l>> tracing_subscriber::Layer<S> for Layer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        {
            let mut extensions = span.extensions_mut();
            extensions.insert(fields);
            if let Some(trace) = self.shared.begun(span.name()) {
                extensions.insert(trace);
            }
        }
        self.tell(&span, "open");
    }

    fn on_record(&self, id: &Id, record: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(fields) = span.extensions_mut().get_mut::<Fields>()
        {
            record.record(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let span = context.event_span(event);
        let name = fields.message.take().unwrap_or_else(|| event.metadata().name().to_owned());
        self.take(span.as_ref(), event.metadata(), &name, fields);
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        self.tell(&span, "close");
        let trace = span.extensions_mut().remove::<SpanTrace>();
        if let Some(trace) = trace {
            self.shared.ended(trace);
        }
    }
}

impl Layer {
    /// Makes a state of what happens to a span.
    fn tell<S: for<'l> LookupSpan<'l>>(&self, span: &SpanRef<'_, S>, what: &str) {
        self.take(Some(span), span.metadata(), &format!("{what} {}", span.name()), Fields::default());
    }

    fn take<S: for<'l> LookupSpan<'l>>(
        &self,
        span: Option<&SpanRef<'_, S>>,
        metadata: &Metadata<'_>,
        event: &str,
        fields: Fields,
    ) {
        let mut state = State::new()
            .with("event", event)
            .with("level", metadata.level().as_str())
            .with("target", metadata.target())
            .with("span", span.map_or(Value::Missing, |span| Value::str(span.name())));
        for around in span.iter().flat_map(|span| span.scope().from_root()) {
            if let Some(outer) = around.extensions().get::<Fields>() {
                for (name, value) in &outer.values {
                    state = state.with(*name, value.clone());
                }
            }
        }
        for (name, value) in fields.values {
            state = state.with(name, value);
        }
        if self.shared.is_by_span() {
            let mut scope = span.iter().flat_map(|span| span.scope());
            let trace = scope.find_map(|span| span.extensions().get::<SpanTrace>().cloned());
            if let Some(trace) = trace {
                self.shared.step(Some(&trace), state);
            }
        } else {
            self.shared.step(None, state);
        }
    }
}
