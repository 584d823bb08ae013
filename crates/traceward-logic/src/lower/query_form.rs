//! Which texts can be nothing but queries, by their form alone.

use crate::ast::{Ast, AstKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The definitions that can be nothing but queries: they have a form that only queries have, or use
/// one that has. Found as definitions come, so that nobody walks along a chain of them again.
#[derive(Default)]
pub(super) struct QueriesByForm {
    queries: FxHashSet<Arc<str>>,
    /// For each name the definitions that use it.
    users: FxHashMap<Arc<str>, Vec<Arc<str>>>,
}

impl QueriesByForm {
    /// Takes a definition. Those that it uses may come later.
    pub(super) fn add(&mut self, name: &Arc<str>, body: &Ast) {
        let mut is_query = false;
        let (queries, users) = (&self.queries, &mut self.users);
        let has_form = has_query_form(body, &mut |used| {
            is_query |= queries.contains(used);
            users.entry(used.clone()).or_default().push(name.clone());
        });
        if has_form || is_query {
            self.found(name, |_| true);
        }
    }

    /// Takes a definition that is a query, whatever its form. Of those that use it `follows` tells
    /// which are queries for that.
    pub(super) fn found(&mut self, name: &Arc<str>, follows: impl Fn(&Arc<str>) -> bool) {
        let mut open = vec![name.clone()];
        while let Some(name) = open.pop() {
            let users = self.users.get(&name).into_iter().flatten();
            open.extend(users.filter(|user| !self.queries.contains(*user) && follows(user)).cloned());
            self.queries.insert(name);
        }
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.queries.contains(name)
    }
}

/// Whether a text has a form that only queries have. Names are handed on: where there is no such
/// form, all of those that stand where one could.
pub(super) fn has_query_form(ast: &Ast, name_used: &mut impl FnMut(&Arc<str>)) -> bool {
    let mut open = vec![ast];
    while let Some(ast) = open.pop() {
        match &ast.kind {
            AstKind::Guard(..)
            | AstKind::Default(..)
            | AstKind::Aggregate(..)
            | AstKind::Fold(_)
            | AstKind::Latency(..)
            | AstKind::Combine(..)
            | AstKind::Not(Some(_), _)
            | AstKind::Unary(_, _, Some(_), _)
            | AstKind::Binary(_, _, Some(_), ..) => return true,
            AstKind::Not(None, operand)
            | AstKind::Unary(_, _, None, operand)
            | AstKind::Negate(operand)
            | AstKind::Past(operand, _) => open.push(operand),
            AstKind::Binary(_, _, None, left, right) | AstKind::Arithmetic(_, left, right) => {
                open.extend([&**left, &**right]);
            }
            AstKind::Call(_, parts) | AstKind::And(parts) | AstKind::Or(parts) => open.extend(parts),
            AstKind::Name(name) => name_used(name),
            _ => {}
        }
    }
    false
}
