//! What is asked: the language of Traceward, free of engines and of input and output.
pub mod bitmap;
pub mod trace;
pub mod value;
