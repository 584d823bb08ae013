//! Metric alternating automata: the thesis on bounded temporal logic.

mod automaton;
