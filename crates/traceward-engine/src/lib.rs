//! traceward-engine
