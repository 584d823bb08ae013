//! What is asked: the language of Traceward, free of engines and of input and output.
//!
//! Start with [`semantics`], which defines the language in code. Text becomes an [`ast`] by
//! [`parse`], and by [`lower`] a [`formula`] or [`query`] over state [expressions](expr);
//! [`pass`]es rewrite formulas.

pub mod ast;
pub mod bitmap;
pub mod diagnostic;
pub mod expr;
pub mod formula;
pub mod letter;
pub mod lower;
pub mod moments;
pub mod parse;
pub mod pass;
pub mod print;
pub mod query;
pub mod semantics;
pub mod shown;
pub mod total;
pub mod trace;
pub mod value;
pub mod verdict;
