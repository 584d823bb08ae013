//! Runs programs of Manna and Pnueli's Simple Programming Language (SPL), one step of a random
//! process at a time, and hands over the states.
//!
//! ```
//! use traceward_simulate::{Cell, Program, Simulation, Step};
//!
//! let text = "local x : integer where x = 1\n P :: [ l0: loop forever do [ l1: x := 2 * x ] ]";
//! let program = Program::parse(text).expect("a program");
//! let mut simulation = Simulation::new(&program, 7);
//! for _ in 0..4 {
//!     assert_eq!(simulation.step().expect("no fault"), Step::Taken);
//! }
//! let names: Vec<&str> = program.columns().iter().map(|column| column.name.as_str()).collect();
//! assert_eq!(names, ["x", "P.at", "at_l0", "at_l1"]);
//! let cells: Vec<Cell<'_>> = simulation.row().collect();
//! assert_eq!(cells[..2], [Cell::Integer(8), Cell::Text("l1")]);
//! ```
//!
//! # The language
//!
//! A program is a list of declarations, and processes side by side. What is between brackets is a
//! list of statements; each has a label, and `;` between them may be left out. `//` and `#` begin
//! comments.
//!
//! ```text
//! local r : integer where r = 1
//! P1 :: [ l0: loop forever do [ l1: noncritical  l2: request r  l3: critical  l4: release r ] ]
//! ||
//! P2 :: [ m0: loop forever do [ m1: noncritical  m2: request r  m3: critical  m4: release r ] ]
//! ```
//!
//! | text | what it does in a step |
//! | --- | --- |
//! | `skip`, `noncritical`, `critical` | goes on |
//! | `x := e`, `(x, a[i]) := (e, f)` | assigns, all at once |
//! | `request r`, `release r` | waits until r > 0 and takes 1 away; adds 1 |
//! | `await e` | waits until e holds |
//! | `c <= e`, `c <= (e, f)` (`⇐`) | sends an item, which the channel may lose |
//! | `c => x`, `c => (x, a[i])` (`⇒`) | waits for an item and takes it |
//! | `if e then S else S`, `while e do S` | looks at e; S are steps of their own |
//! | `loop forever do S` | goes to the first statement of S, and is not visited again |
//! | `l2: [ l3: S or l4: S ]` | takes the first step of an alternative that can be taken |
//! | `after N steps do A` | takes A when the process has stood there for N steps of the program |
//!
//! S is a labelled statement, or `[ … ]` around several; `else S` may be left out. Variables are
//! `integer` (64 bits, 0 at first) or `boolean` (false at first), `array [1..8] of integer`, `array
//! [1..] of integer` without an end, and `channel [1..] of (integer, boolean) loses 0.2`; `where`
//! gives their first values: `where i = 1, !timeout`, and for arrays `where data[k] = 10 * k`.
//! Operators are `+ - * / %` (`div`, `mod`), `= != < <= > >=`, `! & |` (`not`, `and`).
//!
//! # The trace
//!
//! State 0 is the beginning. Each step takes one process that can go on, by chance and all alike,
//! and one of its alternatives. A step that has waited as long as `after` says is taken before all
//! others. Where nobody can go on but somebody waits for a time, time passes and the state stays.
//!
//! Columns are named as formulas name them: `r`, `Sender.seq`, `dchan.length` for the number of
//! items in a channel, `a.1`, `a.2` for the elements of an array that has at most
//! [`MOST_ELEMENTS_SHOWN`] (others are not in the trace), `Sender.at` for the label at which a
//! process stands (`"end"` behind its last statement), and `at_l3` for whether control is in front
//! of that statement. A process at a selection is in front of its alternatives, too: `at_l2`,
//! `at_l3` and `at_l4` hold, and `Sender.at` is `"l2"`. A label that several processes have is
//! `P1.at_l3`.

mod check;
mod expression;
mod lexer;
mod lines;
mod parse;
mod program;
mod random;
mod run;
mod syntax;

pub use lines::{Form, Lines};
pub use program::{Column, ColumnType, LONGEST_PROGRAM, MOST_ELEMENTS_SHOWN, Program};
pub use run::{Cell, Fault, Simulation, Standing, Step};
