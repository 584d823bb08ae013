//! traceward-testkit
