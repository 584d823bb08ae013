//! Watches fields and methods: what the callbacks of the machine come to.
//!
//! Whatever happens, happens under one lock, and nothing here calls a method of Java, so no thread
//! can wait for another in a circle.

use crate::follower::{Cause, Follower, Here, stack_text};
use crate::found::{Found, FoundField, FoundMethod, Problem, find_field, find_methods};
use crate::interface::{Class, Event, FieldId, Jvalue, MethodId, Object, Thread};
use crate::machine::{Global, Jvm};
use crate::options::{Construction, Options};
use crate::report::counted;
use crate::trace::{NOT_FOLLOWED, Objects, Stage, Subject, Trace};
use crate::value::{NoValue, References};
use crate::wanted::{Wanted, WantedField, WantedMethod, is_class, spellings};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::thread::ThreadId;
use traceward::Value;

/// The frames that are looked at for a constructor.
const MOST_CONSTRUCTORS: usize = 64;

pub(crate) struct Watcher {
    construction: Construction,
    most_objects: usize,
    references: Option<References>,
    fields: Vec<Pending<WantedField>>,
    methods: Vec<Pending<WantedMethod>>,
    found: Vec<FoundField>,
    /// Whether ids alone tell the found fields apart. Fields of two classes may have the same.
    are_ids_unique: bool,
    /// Whether all of them have their value; until then classes are looked at before each state.
    are_statics_known: bool,
    by_method: FxHashMap<MethodId, FoundMethod>,
    /// Whether the spec has two names for one field, which it inherits.
    has_twins: bool,
    /// The class that an object has to be of to have all instance fields, with its name.
    object_class: Option<(Global, Arc<str>)>,
    follower: Follower,
    statics: Trace,
    objects: Objects,
    /// The places whose fields have had values that are none.
    refused: FxHashSet<usize>,
    left_out: u64,
    /// The objects whose constructors have thrown or never ended.
    unmade: u64,
    /// The frames of each thread whose end is of interest, the innermost last.
    frames: FxHashMap<ThreadId, Vec<AwaitedFrame>>,
    writes: u64,
}

/// Something that the spec names, until a class has it.
struct Pending<T> {
    wanted: T,
    /// The class that was taken for it.
    class: Option<Global>,
    is_refused: bool,
}

/// A frame whose end is of interest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct AwaitedFrame {
    /// The number of frames up to it.
    height: i32,
    what: Awaited,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Awaited {
    /// The constructor of the object with this tag.
    Constructor(i64),
    /// A method, with the tag of its object if that is followed.
    Method(MethodId, Option<i64>),
}

/// A write to a field, which is about to happen.
pub(crate) struct Write {
    pub(crate) class: Class,
    /// Null if the field is static.
    pub(crate) object: Object,
    pub(crate) field: FieldId,
    pub(crate) value: Jvalue,
}

impl Watcher {
    pub(crate) fn new(wanted: Wanted, follower: Follower, options: &Options) -> Self {
        let mut follower = follower;
        follower.event = wanted.event.map(|event| follower.add_shared(&Arc::from("event"), event));
        Self {
            construction: options.construction,
            most_objects: options.objects,
            references: None,
            fields: wanted.fields.into_iter().map(Pending::new).collect(),
            methods: wanted.methods.into_iter().map(Pending::new).collect(),
            found: Vec::new(),
            are_ids_unique: true,
            are_statics_known: true,
            by_method: FxHashMap::default(),
            has_twins: false,
            object_class: None,
            follower,
            statics: Trace::new(Subject::Statics, Box::new([])),
            objects: Objects::default(),
            refused: FxHashSet::default(),
            left_out: 0,
            unmade: 0,
            frames: FxHashMap::default(),
            writes: 0,
        }
    }

    // ---- classes ----

    /// The machine is ready, and the program has not started.
    pub(crate) fn start(&mut self, jvm: Jvm) {
        self.references = References::find(jvm);
        if self.references.is_none() {
            self.follower.report.problem("the classes String and Enum were not found");
        }
    }

    /// The names that classes may have which the spec speaks of and which are not found yet.
    pub(crate) fn missing_classes(&self) -> Vec<String> {
        let fields = self.fields.iter().filter(|one| one.class.is_none()).map(|one| &one.wanted.class);
        let methods = self.methods.iter().filter(|one| one.class.is_none()).map(|one| &one.wanted.class);
        let names: FxHashSet<&String> = fields.chain(methods).collect();
        let mut names: Vec<String> = names.into_iter().flat_map(|class| spellings(class)).collect();
        // What was taken for a class may be a method of one.
        let outer: Vec<String> = names.iter().filter_map(|name| Some(name.rsplit_once('.')?.0.to_owned())).collect();
        names.extend(outer);
        names.sort();
        names.dedup();
        names
    }

    /// A class has been prepared: no code of it has run.
    pub(crate) fn prepared(&mut self, jvm: Jvm, class: Class) {
        let name = jvm.class_name(class);
        for index in 0..self.fields.len() {
            if is_class(&name, &self.fields[index].wanted.class) {
                self.take_field(jvm, class, &name, index);
            }
        }
        for index in 0..self.methods.len() {
            if is_class(&name, &self.methods[index].wanted.class) {
                self.take_methods(jvm, class, &name, index);
            }
        }
    }

    fn take_field(&mut self, jvm: Jvm, class: Class, name: &str, index: usize) {
        let pending = &mut self.fields[index];
        match pending.class {
            Some(taken) if jvm.is_same(taken.object(), class) => return,
            Some(_) => {
                if !std::mem::replace(&mut pending.is_refused, true) {
                    let text = format!("there is a second class {name}, of another loader: only the first is watched");
                    self.follower.report.problem(&text);
                }
                return;
            }
            None => pending.class = Some(jvm.global(class)),
        }
        let taken = match find_field(jvm, class, name, &pending.wanted) {
            Ok(found) => self.watch(jvm, class, index, found),
            Err(problem) => Err(problem),
        };
        if let Err(Problem(text)) = taken {
            self.fields[index].is_refused = true;
            self.follower.report.problem(&text);
        }
    }

    fn watch(&mut self, jvm: Jvm, class: Class, index: usize, found: Found) -> Result<(), Problem> {
        let wanted = self.fields[index].wanted.clone();
        if !found.is_static {
            self.take_object_class(jvm, class, &wanted)?;
        }
        jvm.watch(found.owner, found.field).map_err(Problem)?;
        jvm.enable(Event::FieldModification).map_err(Problem)?;
        let place = if found.is_static {
            self.follower.add_shared(&wanted.name, wanted.variable)
        } else {
            self.follower.add_own(&wanted.name, wanted.variable)
        };
        let is_known = !found.is_static;
        self.are_statics_known &= is_known;
        let is_twin =
            |other: &&FoundField| other.field == found.field && jvm.is_same(other.owner.object(), found.owner);
        let twin = self.found.iter().find(is_twin).map(|other| other.owner);
        self.has_twins |= twin.is_some();
        self.are_ids_unique &= self.found.iter().all(|other| other.field != found.field);
        self.found.push(FoundField {
            owner: twin.unwrap_or_else(|| jvm.global(found.owner)),
            field: found.field,
            letter: found.letter,
            is_static: found.is_static,
            place,
            is_known,
            has_initialiser: found.has_initialiser,
        });
        if found.is_static {
            self.learn_constant(jvm, self.found.len() - 1);
            self.learn_statics(jvm);
        }
        Ok(())
    }

    /// An instance field was found: from now on objects have traces.
    fn take_object_class(&mut self, jvm: Jvm, class: Class, wanted: &WantedField) -> Result<(), Problem> {
        let narrower = match &self.object_class {
            Some((other, _)) if jvm.is_subclass(other.object(), class) => None,
            Some((other, name)) if !jvm.is_subclass(class, other.object()) => {
                return Err(Problem(format!(
                    "`{}` is an instance field, and others are of {name}: no object has both. Write a spec for each \
                     class",
                    wanted.name
                )));
            }
            _ => Some((jvm.global(class), Arc::from(jvm.class_name(class)))),
        };
        if self.follower.has_queries() {
            return Err(Problem(format!(
                "`{}` is an instance field, and queries are measured of one trace only: write the states \
                 with to=file:… and ask `traceward query --by @object`",
                wanted.name
            )));
        }
        if self.follower.sends_to_observer() {
            return Err(Problem(format!(
                "`{}` is an instance field, and an observer takes one trace: leave `to` out, or write a file \
                 for `traceward check --by @object`",
                wanted.name
            )));
        }
        if self.statics.has_begun() || self.objects.count() > 0 {
            return Err(Problem(format!(
                "`{}` is an instance field of a class that was loaded after the first state: what happened \
                 before was judged without it",
                wanted.name
            )));
        }
        jvm.enable(Event::ObjectFree).map_err(Problem)?;
        jvm.enable(Event::FramePop).map_err(Problem)?;
        self.object_class = narrower.or(self.object_class.take());
        Ok(())
    }

    fn take_methods(&mut self, jvm: Jvm, class: Class, name: &str, index: usize) {
        let pending = &mut self.methods[index];
        match pending.class {
            Some(taken) if jvm.is_same(taken.object(), class) => return,
            Some(_) => {
                if !std::mem::replace(&mut pending.is_refused, true) {
                    let text = format!("there is a second class {name}, of another loader: only the first is watched");
                    self.follower.report.problem(&text);
                }
                return;
            }
            None => pending.class = Some(jvm.global(class)),
        }
        let taken = find_methods(jvm, class, name, &pending.wanted).and_then(|methods| {
            jvm.enable(Event::Breakpoint).map_err(Problem)?;
            jvm.enable(Event::FramePop).map_err(Problem)?;
            for method in methods {
                jvm.break_at_start(method.method).map_err(Problem)?;
                self.by_method.insert(method.method, method);
            }
            Ok(())
        });
        if let Err(Problem(text)) = taken {
            self.methods[index].is_refused = true;
            self.follower.report.problem(&text);
        }
    }

    /// Looks for values of static fields whose classes were not initialised before.
    fn learn_statics(&mut self, jvm: Jvm) {
        for index in 0..self.found.len() {
            let FoundField { owner, has_initialiser, is_known, .. } = self.found[index];
            if !is_known && (!has_initialiser || jvm.is_initialized(owner.object())) {
                self.found[index].is_known = true;
                self.read_static(jvm, index);
            }
        }
        self.are_statics_known = self.found.iter().all(|found| found.is_known);
    }

    /// A field that has a value before its class is initialised is a constant.
    fn learn_constant(&mut self, jvm: Jvm, index: usize) {
        if self.static_value(jvm, index).is_ok_and(|value| !is_default(&value)) {
            self.read_static(jvm, index);
        }
    }

    fn read_static(&mut self, jvm: Jvm, index: usize) {
        let place = self.found[index].place;
        match self.static_value(jvm, index) {
            Ok(value) => self.set_static(place, value),
            Err(NoValue(class)) => self.refuse_value(place, &class, None),
        }
    }

    fn static_value(&self, jvm: Jvm, index: usize) -> Result<Value, NoValue> {
        let FoundField { owner, field, letter, .. } = self.found[index];
        let value = jvm.static_value(owner.object(), field, letter);
        self.references.map_or(Ok(Value::Missing), |references| references.value(jvm, letter, value))
    }

    fn set_static(&mut self, place: usize, value: Value) {
        for twin in self.twins(place) {
            self.follower.state[twin].1 = value.clone();
        }
        self.follower.state[place].1 = value;
        self.follower.statics_written += 1;
    }

    /// The other places that the field of a place has in the state.
    fn twins(&self, place: usize) -> Vec<usize> {
        let found = self.found.iter().find(|found| self.has_twins && found.place == place);
        let twins = found.map(|one| {
            let is_twin = |other: &&FoundField| other.is_twin(one) && other.place != place;
            self.found.iter().filter(is_twin).map(|other| other.place).collect()
        });
        twins.unwrap_or_default()
    }

    /// A field has a value that is none of a state: said once of each.
    fn refuse_value(&mut self, place: usize, class: &str, here: Option<&Here>) {
        if !self.refused.insert(place) {
            return;
        }
        let stack = here.map(stack_text).unwrap_or_default();
        let name = self.follower.name(place).to_owned();
        self.follower.report.problem(&format!(
            "`{name}` refers to an object of {class}: only booleans, numbers, characters, strings, enums and \
             null are values{stack}"
        ));
    }

    // ---- writes ----

    /// A field that is watched is about to be written.
    #[inline]
    pub(crate) fn written(&mut self, here: &Here, write: &Write) {
        self.writes += 1;
        let Some(references) = self.references else { return };
        if !self.are_statics_known {
            self.learn_statics(here.jvm);
        }
        let Some(index) = self.find(here.jvm, write) else { return };
        let found = self.found[index];
        let value = match references.value(here.jvm, found.letter, write.value) {
            Ok(value) => value,
            Err(no_value) => {
                self.refuse_value(found.place, &no_value.0, Some(here));
                Value::Missing
            }
        };
        if write.object.is_null() {
            self.write_static(here, index, value);
        } else if let Some(tag) = self.followed(here, write.object) {
            self.write_own(here, tag, found.place, value);
        }
    }

    /// The field that is meant: ids alone do not tell fields of two classes apart.
    #[inline]
    fn find(&self, jvm: Jvm, write: &Write) -> Option<usize> {
        let mut named = (0..self.found.len()).filter(|&index| self.found[index].field == write.field);
        if self.are_ids_unique {
            return named.next();
        }
        named.find(|&index| {
            let found = &self.found[index];
            found.is_static == write.object.is_null() && jvm.is_same(found.owner.object(), write.class)
        })
    }

    fn write_static(&mut self, here: &Here, index: usize, value: Value) {
        let FoundField { place, is_known, .. } = self.found[index];
        // Only who initialises the class can write before it is initialised.
        if !is_known && self.construction == Construction::Initial {
            return self.set_static(place, value);
        }
        if self.object_class.is_none() {
            self.begin_statics(here);
            self.set_static(place, value);
            return self.follower.step(&mut self.statics, Cause::Write(place), here);
        }
        self.set_static(place, value);
        self.step_objects(Cause::Write(place), here);
    }

    fn begin_statics(&mut self, here: &Here) {
        if !self.statics.has_begun() {
            self.follower.step(&mut self.statics, Cause::Initial, here);
        }
    }

    /// Every object that lives takes a state.
    fn step_objects(&mut self, cause: Cause, here: &Here) {
        for trace in self.objects.iter_mut().filter(|trace| trace.has_begun()) {
            self.follower.step(trace, cause, here);
        }
    }

    fn write_own(&mut self, here: &Here, tag: i64, place: usize, value: Value) {
        let twins = self.twins(place);
        let Some(trace) = self.objects.get(tag) else { return };
        if trace.stage == Stage::Failed {
            trace.stage = Stage::Made;
        }
        let is_made = trace.stage == Stage::Made;
        if is_made && !trace.has_begun() {
            self.follower.step(trace, Cause::Initial, here);
        }
        for twin in twins {
            self.follower.set_own(trace, twin, value.clone());
        }
        self.follower.set_own(trace, place, value);
        if is_made {
            self.follower.step(trace, Cause::Write(place), here);
        }
    }

    // ---- objects ----

    /// The tag of an object, if it is followed.
    fn followed(&mut self, here: &Here, object: Object) -> Option<i64> {
        match here.jvm.tag(object) {
            0 => self.meet(here, object),
            NOT_FOLLOWED => None,
            tag => Some(tag),
        }
    }

    /// Takes an object that was not met before.
    fn meet(&mut self, here: &Here, object: Object) -> Option<i64> {
        let jvm = here.jvm;
        if !self.object_class.as_ref().is_some_and(|(class, _)| jvm.is_instance(object, class.object())) {
            jvm.set_tag(object, NOT_FOLLOWED);
            return None;
        }
        if self.objects.live() >= self.most_objects {
            jvm.set_tag(object, NOT_FOLLOWED);
            self.leave_out();
            return None;
        }
        let own = self.own_values(jvm, object);
        let class = self.class_name(jvm, object);
        let tag = self.objects.add(class, own);
        jvm.set_tag(object, tag);
        if self.construction == Construction::Initial {
            self.await_constructor(here, object, tag);
        }
        Some(tag)
    }

    fn leave_out(&mut self) {
        self.left_out += 1;
        if self.left_out == 1 {
            let text = format!(
                "{} are followed, and more at a time are too many: others are left out (objects=N sets the number)",
                counted(self.most_objects as u64, "object")
            );
            self.follower.report.problem(&text);
        }
    }

    fn own_values(&mut self, jvm: Jvm, object: Object) -> Box<[Value]> {
        let Some(references) = self.references else { return Box::default() };
        let own: Vec<FoundField> = self.found.iter().copied().filter(|found| !found.is_static).collect();
        let mut values = Vec::with_capacity(own.len());
        for FoundField { field, letter, place, .. } in own {
            match references.value(jvm, letter, jvm.field_value(object, field, letter)) {
                Ok(value) => values.push(value),
                Err(no_value) => {
                    self.refuse_value(place, &no_value.0, None);
                    values.push(Value::Missing);
                }
            }
        }
        values.into()
    }

    fn class_name(&self, jvm: Jvm, object: Object) -> Arc<str> {
        let class = jvm.class_of(object);
        match &self.object_class {
            Some((named, name)) if jvm.is_same(class, named.object()) => name.clone(),
            _ => Arc::from(jvm.class_name(class)),
        }
    }

    /// If the object is in its constructor, its trace begins when that returns: until then it is
    /// not yet what its class promises.
    fn await_constructor(&mut self, here: &Here, object: Object, tag: i64) {
        let Some(depth) = constructor_depth(here, object) else { return };
        let Some(thread) = here.thread else { return };
        if !here.jvm.notify_frame_pop(thread, depth) {
            return;
        }
        let height = here.jvm.frame_count(thread) - depth;
        let awaited = AwaitedFrame { height, what: Awaited::Constructor(tag) };
        let frames = self.frames.entry(std::thread::current().id()).or_default();
        let index = frames.iter().position(|one| one.height > height).unwrap_or(frames.len());
        frames.insert(index, awaited);
        if let Some(trace) = self.objects.get(tag) {
            trace.stage = Stage::InConstructor;
        }
    }

    /// Objects are gone: their traces end.
    pub(crate) fn freed(&mut self, tags: &[i64], here: &Here) {
        for &tag in tags {
            if let Some(trace) = self.objects.remove(tag) {
                self.end_object(trace, here);
            }
        }
    }

    fn end_object(&mut self, mut trace: Trace, here: &Here) {
        let here = Here { thread: None, frame: None, ..*here };
        if trace.stage != Stage::Made {
            self.unmade += 1;
            return;
        }
        if !trace.has_begun() {
            self.follower.step(&mut trace, Cause::Initial, &here);
        }
        self.follower.end(&trace);
    }

    // ---- methods ----

    /// A method that is watched begins, or its loop returns to its beginning.
    pub(crate) fn called(&mut self, here: &Here, thread: Thread, method: MethodId) {
        let Some(found) = self.by_method.get(&method).cloned() else { return };
        let height = here.jvm.frame_count(thread);
        let frames = self.frames.entry(std::thread::current().id()).or_default();
        let is_loop =
            |one: &AwaitedFrame| one.height == height && matches!(one.what, Awaited::Method(m, _) if m == method);
        if frames.iter().rev().take_while(|one| one.height >= height).any(is_loop) {
            return;
        }
        let object = self.receiver(here, thread, &found);
        if here.jvm.notify_frame_pop(thread, 0) {
            let frames = self.frames.entry(std::thread::current().id()).or_default();
            frames.push(AwaitedFrame { height, what: Awaited::Method(method, object) });
        }
        if let Some(event) = found.call {
            self.event(here, event, object);
        }
    }

    /// The tag of the object whose method it is, if that is followed.
    fn receiver(&mut self, here: &Here, thread: Thread, found: &FoundMethod) -> Option<i64> {
        if self.object_class.is_none() || found.is_static {
            return None;
        }
        let object = here.jvm.this(thread, 0)?;
        self.followed(here, object)
    }

    /// A frame whose end is of interest goes.
    pub(crate) fn popped(&mut self, here: &Here, thread: Thread, by_exception: bool) {
        let height = here.jvm.frame_count(thread);
        let id = std::thread::current().id();
        while let Some(frames) = self.frames.get_mut(&id) {
            let Some(last) = frames.pop_if(|last| last.height >= height) else { break };
            if frames.is_empty() {
                self.frames.remove(&id);
            }
            match last.what {
                Awaited::Constructor(tag) => self.constructed(here, tag, by_exception),
                Awaited::Method(method, object) => self.left(here, method, object, by_exception),
            }
        }
    }

    fn constructed(&mut self, here: &Here, tag: i64, by_exception: bool) {
        let Some(trace) = self.objects.get(tag) else { return };
        if trace.stage != Stage::InConstructor {
            return;
        }
        if by_exception {
            trace.stage = Stage::Failed;
            return;
        }
        trace.stage = Stage::Made;
        self.follower.step(trace, Cause::Constructed, here);
    }

    fn left(&mut self, here: &Here, method: MethodId, object: Option<i64>, by_exception: bool) {
        let Some(found) = self.by_method.get(&method) else { return };
        let event = if by_exception { found.thrown.clone() } else { found.returned.clone() };
        if let Some(event) = event {
            self.event(here, event, object);
        }
    }

    /// An event is a state: of its object, or of all traces if it is nobody's.
    fn event(&mut self, here: &Here, event: Value, object: Option<i64>) {
        let Some(place) = self.follower.event else { return };
        if !self.are_statics_known {
            self.learn_statics(here.jvm);
        }
        if self.object_class.is_none() {
            self.begin_statics(here);
        } else if let Some(trace) = object.and_then(|tag| self.objects.get(tag))
            && !trace.has_begun()
        {
            trace.stage = Stage::Made;
            self.follower.step(trace, Cause::Initial, here);
        }
        self.follower.state[place].1 = event;
        match object.and_then(|tag| self.objects.get(tag)) {
            _ if self.object_class.is_none() => self.follower.step(&mut self.statics, Cause::Event, here),
            Some(trace) => self.follower.step(trace, Cause::Event, here),
            None => self.step_objects(Cause::Event, here),
        }
        self.follower.state[place].1 = Value::Missing;
    }

    // ---- the end ----

    pub(crate) fn has_problem(&self) -> bool {
        self.follower.report.has_problem()
    }

    /// The program has ended; returns the exit status by the verdicts.
    pub(crate) fn end(&mut self, here: &Here) -> Option<i32> {
        self.learn_statics(here.jvm);
        self.tell_unfound(here.jvm);
        self.tell_unseen_writes(here.jvm);
        if self.object_class.is_none() {
            self.end_statics(here);
        } else {
            self.end_objects(here);
        }
        self.follower.report.status()
    }

    fn end_statics(&mut self, here: &Here) {
        if self.found.is_empty() && self.by_method.is_empty() {
            return;
        }
        if !self.statics.has_begun() {
            let text = "note: nothing that is watched was written or called: only the initial values are judged";
            self.follower.report.say(text);
            self.follower.step(&mut self.statics, Cause::Initial, here);
        } else if self.statics.statics_seen != self.follower.statics_written {
            self.follower.step(&mut self.statics, Cause::End, here);
        }
        self.follower.end(&self.statics);
        self.follower.tell_verdicts(Some(&self.statics));
    }

    fn end_objects(&mut self, here: &Here) {
        for mut trace in self.objects.take_all() {
            if trace.has_begun() && trace.statics_seen != self.follower.statics_written {
                self.follower.step(&mut trace, Cause::End, here);
            }
            self.end_object(trace, here);
        }
        let class = self.object_class.as_ref().map_or("", |(_, name)| name);
        if self.objects.count() == 0 {
            let text = format!("no watched field of an object of {class} was written: nothing was judged");
            self.follower.report.problem(&text);
        } else {
            let count = counted(self.objects.count(), "object");
            self.follower.report.say(&format!("{count} of {class} followed"));
        }
        if self.unmade > 0 {
            let text = format!("note: {} not judged: their constructors have thrown", counted(self.unmade, "object"));
            self.follower.report.say(&text);
        }
        if self.left_out > 0 {
            let text = format!("{} left out: objects=N sets how many are followed", counted(self.left_out, "object"));
            self.follower.report.problem(&text);
        }
        self.follower.tell_verdicts(None);
    }

    /// Tells what no class has had, and what was never initialised.
    fn tell_unfound(&mut self, jvm: Jvm) {
        let fields = self.fields.iter().filter(|one| one.class.is_none());
        let fields = fields.map(|one| (one.wanted.name.to_string(), one.wanted.class.clone()));
        let methods = self.methods.iter().filter(|one| one.class.is_none());
        let methods =
            methods.map(|one| (format!("{}.{}", one.wanted.class, one.wanted.method), one.wanted.class.clone()));
        let unfound: Vec<(String, String)> = fields.chain(methods).collect();
        for (name, class) in unfound {
            let text = crate::found::unfound_class(jvm, &name, &class);
            self.follower.report.problem(&text);
        }
        for found in &self.found {
            let (_, value) = &self.follower.state[found.place];
            if found.is_static && !found.is_known && value.is_missing() {
                let name = self.follower.name(found.place).to_owned();
                let text = format!("`{name}` never had a value: its class was never initialised");
                self.follower.report.problem(&text);
            }
        }
    }

    /// Tells which statics have other values than those that were seen.
    fn tell_unseen_writes(&mut self, jvm: Jvm) {
        for index in 0..self.found.len() {
            let FoundField { place, is_static, is_known, .. } = self.found[index];
            if is_static
                && is_known
                && self.static_value(jvm, index).is_ok_and(|now| now != self.follower.state[place].1)
            {
                let name = self.follower.name(place).to_owned();
                self.follower.report.say(&format!(
                    "note: `{name}` was written in a way that cannot be watched: by reflection, a handle or native code"
                ));
            }
        }
    }

    /// Says at once what can be said of names that no class of the program has.
    pub(crate) fn tell_locals(&mut self, jvm: Jvm) {
        for pending in self.fields.iter_mut().filter(|one| one.class.is_none() && !one.is_refused) {
            if let Some(text) = crate::found::local_variable(jvm, &pending.wanted) {
                pending.is_refused = true;
                self.follower.report.problem(&text);
            }
        }
    }
}

impl<T> Pending<T> {
    fn new(wanted: T) -> Self {
        Self { wanted, class: None, is_refused: false }
    }
}

/// Whether a value is what a field has before anybody has written to it.
fn is_default(value: &Value) -> bool {
    match value {
        Value::Missing | Value::Bool(false) | Value::Int(0) => true,
        Value::Float(float) => *float == 0.0,
        Value::Str(text) => &**text == "\0",
        _ => false,
    }
}

/// The depth of the outermost constructor of an object among the innermost frames.
fn constructor_depth(here: &Here, object: Object) -> Option<i32> {
    let (jvm, thread) = (here.jvm, here.thread?);
    let is_own = |depth: i32| jvm.this(thread, depth).is_some_and(|this| jvm.is_same(this, object));
    let mut outermost = None;
    for (depth, frame) in jvm.stack(thread, MOST_CONSTRUCTORS).iter().enumerate() {
        let is_constructor = jvm.method_name(frame.method) == "<init>" && is_own(depth as i32);
        match (is_constructor, outermost) {
            (true, _) => outermost = Some(depth as i32),
            // Constructors of one object call each other, with nothing in between.
            (false, Some(_)) => break,
            (false, None) => {}
        }
    }
    outermost
}
