//! Literals as pictures show them: a string that an event is compared with stands alone, and what
//! other values of the same variable would say is left out.
//!
//! A variable has one value at a time. So of several comparisons of one variable with different
//! strings at most one holds: where one does, that the others do not need not be said, and two at
//! once never come.

use std::sync::Arc;
use traceward_engine::automaton::deterministic::Product;
use traceward_logic::expr::Expr;
use traceward_logic::formula::Formulas;
use traceward_logic::letter::{Alphabet, Proposition};
use traceward_logic::trace::VariableId;
use traceward_logic::value::{CompareOp, Value};

/// The texts of the literals of an alphabet.
#[derive(Clone, Debug)]
pub struct LiteralTexts {
    propositions: Vec<LiteralText>,
    /// The column of events, if some comparison with it is shown as a string alone.
    event: Option<Arc<str>>,
}

#[derive(Clone, Debug)]
struct LiteralText {
    holds: String,
    fails: String,
    /// The variable and the string that it is compared with.
    choice: Option<(VariableId, Arc<str>)>,
}

/// The number of alternatives up to which they are compared with each other. Nobody reads more.
const COMPARED: usize = 1000;

impl LiteralTexts {
    /// The texts of the propositions of an alphabet. `names` are those of the variables, and
    /// `event` is the one that strings alone are compared with.
    pub fn new(formulas: &Formulas, alphabet: &Alphabet, names: &[Arc<str>], event: Option<&str>) -> Self {
        let event_id = event.and_then(|event| names.iter().position(|name| **name == *event));
        let text = |expr: &Expr| {
            let choice = choice(expr);
            let is_bare = choice.as_ref().is_some_and(|(variable, _)| Some(variable.index()) == event_id);
            let (holds, fails) = if is_bare { bare(expr, names) } else { whole(expr, names) };
            (LiteralText { holds, fails, choice }, is_bare)
        };
        let texts = alphabet.atoms().iter().map(|&(_, atom)| text(formulas.atom(atom)));
        let (propositions, are_bare): (Vec<LiteralText>, Vec<bool>) = texts.unzip();
        let event = event.filter(|_| are_bare.contains(&true)).map(Arc::from);
        Self { propositions, event }
    }

    /// The column of events, if some comparison with it is shown as a string alone.
    pub fn event(&self) -> Option<&Arc<str>> {
        self.event.as_ref()
    }

    /// The alternatives of a label as texts; none are left if no state can satisfy any of them.
    /// Where variables are compared with strings, those that follow from others are left out.
    pub fn alternatives(&self, products: &[Product]) -> Vec<String> {
        let short: Vec<Product> = products.iter().filter_map(|product| self.without_redundant(product)).collect();
        let has_choices = products.iter().flatten().any(|literal| self.choice(literal.0).is_some());
        let is_compared = has_choices && short.len() <= COMPARED;
        let follows = |index: usize| {
            short.iter().enumerate().any(|(place, other)| {
                let is_first = place < index || !self.implies(other, &short[index]);
                place != index && self.implies(&short[index], other) && is_first
            })
        };
        let kept = (0..short.len()).filter(|&index| !is_compared || !follows(index));
        kept.map(|index| self.text(&short[index])).collect()
    }

    /// Whether a letter that satisfies one product satisfies the other.
    fn implies(&self, one: &Product, other: &Product) -> bool {
        other.iter().all(|literal| one.contains(literal) || !literal.1 && self.excludes(one, literal.0))
    }

    /// Whether a product says of a variable that it has another value than a proposition asks for.
    fn excludes(&self, product: &Product, proposition: Proposition) -> bool {
        let Some((variable, value)) = self.choice(proposition) else { return false };
        let chosen = product.iter().filter(|literal| literal.1).filter_map(|literal| self.choice(literal.0));
        chosen.into_iter().any(|(other, text)| other == variable && text != value)
    }

    /// A product without the literals that follow from others; none if two of them contradict each
    /// other.
    fn without_redundant(&self, product: &Product) -> Option<Product> {
        let is_excluded = |literal: &(Proposition, bool)| self.excludes(product, literal.0);
        if product.iter().any(|literal| literal.1 && is_excluded(literal)) {
            return None;
        }
        Some(product.iter().copied().filter(|literal| !is_excluded(literal)).collect())
    }

    fn choice(&self, proposition: Proposition) -> Option<&(VariableId, Arc<str>)> {
        self.propositions[proposition.index()].choice.as_ref()
    }

    fn text(&self, product: &Product) -> String {
        let literal = |&(proposition, holds): &(Proposition, bool)| {
            let texts = &self.propositions[proposition.index()];
            if holds { texts.holds.as_str() } else { texts.fails.as_str() }
        };
        let literals: Vec<&str> = product.iter().map(literal).collect();
        if literals.is_empty() { "true".to_owned() } else { literals.join(" & ") }
    }
}

/// The variable and the string of a comparison such as `x == "a"`.
fn choice(expr: &Expr) -> Option<(VariableId, Arc<str>)> {
    let Expr::Compare(CompareOp::Equal, left, right) = expr else { return None };
    match (&**left, &**right) {
        (Expr::Variable(variable), Expr::Literal(Value::Str(text)))
        | (Expr::Literal(Value::Str(text)), Expr::Variable(variable)) => Some((*variable, text.clone())),
        _ => None,
    }
}

/// The string of a comparison alone, and negated.
fn bare(expr: &Expr, names: &[Arc<str>]) -> (String, String) {
    let text = choice(expr).map_or(String::new(), |(_, text)| text.to_string());
    let quoted = Expr::Literal(Value::Str(text.into())).display(names).to_string();
    let negated = format!("!{quoted}");
    (quoted, negated)
}

fn whole(expr: &Expr, names: &[Arc<str>]) -> (String, String) {
    let mut one = Formulas::new();
    let holds = one.intern_atom(expr.clone());
    let negated = one.not(holds);
    (expr.display(names).to_string(), one.display(negated, names).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use traceward_engine::select::{Prepared, Simplification};
    use traceward_logic::lower::{Claim, Goal};
    use traceward_testkit::lowered;

    /// The propositions are x == "a", x == "b", y == "c" and p, in this order.
    fn texts(event: Option<&str>) -> LiteralTexts {
        let text = "x == \"a\" & x == \"b\" & y == \"c\" & p";
        let lowered = lowered(text, Goal::Check, None, None).expect("a formula");
        let Claim::Formula(root) = lowered.properties[0].claim else { panic!("a formula") };
        let prepared = Prepared::new(&lowered.formulas, &[root], Simplification::Off);
        LiteralTexts::new(&prepared.formulas, &prepared.alphabet, &lowered.variables.names(), event)
    }

    fn shown(event: Option<&str>, products: &[&[(u32, bool)]]) -> Vec<String> {
        let product =
            |product: &&[(u32, bool)]| product.iter().map(|&(one, holds)| (Proposition(one), holds)).collect();
        texts(event).alternatives(&products.iter().map(product).collect::<Vec<_>>())
    }

    #[test]
    fn events_stand_alone() {
        let product: &[(u32, bool)] = &[(0, true), (2, false), (3, true)];
        assert_eq!(shown(Some("x"), &[product]), ["\"a\" & !(y == \"c\") & p"]);
        assert_eq!(shown(None, &[product]), ["x == \"a\" & !(y == \"c\") & p"]);
        assert_eq!(shown(Some("x"), &[&[(0, false)], &[(3, true)]]), ["!\"a\"", "p"]);
        assert_eq!(texts(Some("x")).event().map(|event| &**event), Some("x"));
        assert!(texts(Some("z")).event().is_none() && texts(None).event().is_none());
    }

    #[test]
    fn a_variable_has_one_value_at_a_time() {
        assert_eq!(shown(Some("x"), &[&[(0, true), (1, false)]]), ["\"a\""], "b is not said to fail");
        assert_eq!(shown(Some("x"), &[&[(0, false), (1, false)]]), ["!\"a\" & !\"b\""], "neither follows");
        assert!(shown(None, &[&[(0, true), (1, true)]]).is_empty(), "never both");
        assert_eq!(shown(None, &[&[(0, true), (2, true)]]), ["x == \"a\" & y == \"c\""], "of two variables");
        // What has become shorter makes another one superfluous, and equal ones are one.
        assert_eq!(shown(Some("x"), &[&[(0, true), (1, false)], &[(0, true), (3, true)], &[(0, true)]]), ["\"a\""]);
        assert_eq!(shown(Some("x"), &[&[(0, false)], &[(1, true)]]), ["!\"a\""], "which b says too");
        // Where no strings are compared, alternatives stay as they are: the paper's figures have
        // such.
        assert_eq!(shown(Some("x"), &[&[], &[(3, true)]]), ["true", "p"]);
    }
}
