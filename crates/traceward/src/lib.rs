//! traceward
