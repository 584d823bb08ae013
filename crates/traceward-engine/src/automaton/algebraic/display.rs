//! Automata as text, a part a line. Nodes are numbered apart from parts, as in the paper's figures.

use super::{Algebraic, Binary, Collector, Part, PartId, Unary};
use std::fmt;
use std::sync::Arc;
use traceward_logic::ast::Aggregate;
use traceward_logic::expr::Expr;
use traceward_logic::formula::Formulas;
use traceward_logic::query::FoldOrder;
use traceward_logic::value::Value;

impl Algebraic {
    /// The automaton as text; `names` are those of the variables.
    pub fn display<'a>(&'a self, formulas: &'a Formulas, names: &'a [Arc<str>]) -> impl fmt::Display + 'a {
        Display { automaton: self, formulas, names }
    }

    /// The label of a node, or the function of what joins automata.
    pub fn label(&self, id: PartId, formulas: &Formulas, names: &[Arc<str>]) -> String {
        match self.part(id) {
            Part::Terminal { assertion, expr } => {
                let expr = expr.display(names).to_string();
                match assertion {
                    Some(formula) if expr == "true" => formulas.display(*formula, names).to_string(),
                    Some(formula) => format!("{} : {expr}", formulas.display(*formula, names)),
                    None => expr,
                }
            }
            Part::Transient { function, .. } => unary_text(function, names),
            Part::And { function, .. } | Part::Or { function, .. } => binary_text(function, names),
            Part::Apply { function, .. } => unary_text(function, names),
            Part::Window { interval, .. } => format!("F{interval}"),
        }
    }
}

/// A function of one value as text.
fn unary_text(function: &Unary, names: &[Arc<str>]) -> String {
    match function {
        Unary::Identity => "id".to_owned(),
        Unary::Map(map) => format!("a => {}", map.display(names)),
        Unary::Negate(Value::Bool(true)) => "negate".to_owned(),
        Unary::Negate(constant) => format!("negate {constant}"),
        Unary::Default(constant) => format!("?? {constant}"),
        Unary::Begin(collector) => format!("?? empty {}", collector_text(collector, names)),
        Unary::Finish(collector) => format!("the {}", collector_text(collector, names)),
    }
}

/// A function of two values as text.
fn binary_text(function: &Binary, names: &[Arc<str>]) -> String {
    let (a, b) = (Expr::Parameter(0), Expr::Parameter(1));
    match function {
        Binary::Combine(Expr::Literal(Value::Bool(true))) => "true".to_owned(),
        Binary::Combine(combine) if *combine == a => "π1".to_owned(),
        Binary::Combine(combine) if *combine == b => "π2".to_owned(),
        Binary::Combine(combine) => combine.display(names).to_string(),
        Binary::Compare(op) => op.symbol().to_owned(),
        Binary::Pair => "pair".to_owned(),
        Binary::Otherwise => "first".to_owned(),
        Binary::Then => "π2".to_owned(),
        Binary::While => "π1".to_owned(),
        Binary::Collect(collector @ Collector::Aggregate(_)) => format!("f_{}", collector_text(collector, names)),
        Binary::Collect(fold) => collector_text(fold, names),
    }
}

/// An aggregate as text.
fn collector_text(collector: &Collector, names: &[Arc<str>]) -> String {
    match collector {
        Collector::Aggregate(Aggregate::Quantile(part)) => format!("quantile {part:?}"),
        Collector::Aggregate(aggregate) => aggregate.name().to_owned(),
        Collector::Fold { start, combine, order } => {
            let forward = if *order == FoldOrder::Forward { " forward" } else { "" };
            format!("fold({start}, (a, b) => {}){forward}", combine.display(names))
        }
    }
}

struct Display<'a> {
    automaton: &'a Algebraic,
    formulas: &'a Formulas,
    names: &'a [Arc<str>],
}

impl fmt::Display for Display<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roots: Vec<String> = self.automaton.roots().iter().map(PartId::to_string).collect();
        writeln!(f, "start: {}", roots.join(", "))?;
        let mut nodes = 0..;
        for id in self.automaton.part_ids() {
            let label = self.automaton.label(id, self.formulas, self.names);
            let mut node = || nodes.next().unwrap_or_default();
            match self.automaton.part(id) {
                Part::Terminal { .. } => writeln!(f, "{id} = n{} ⟨{label}⟩", node())?,
                Part::Transient { next, .. } => writeln!(f, "{id} = n{} ⟨{next}, {label}⟩", node())?,
                Part::And { left, right, .. } => writeln!(f, "{id} = {left} ∧[{label}] {right}")?,
                Part::Or { left, right, .. } => writeln!(f, "{id} = {left} ∨[{label}] {right}")?,
                Part::Window { of, .. } => writeln!(f, "{id} = {label} {of}")?,
                Part::Apply { part, .. } => writeln!(f, "{id} = ({label})({part})")?,
            }
        }
        Ok(())
    }
}
