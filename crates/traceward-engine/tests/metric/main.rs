//! The engines that run metric automata: against the definition, the thesis' examples, its misprints, and what happens at
//! limits.

mod breadth_first;
