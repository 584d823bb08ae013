//! Metric automata and the algorithms of the thesis on bounded temporal logic that run on them.

mod agreement;
