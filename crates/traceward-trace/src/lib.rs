//! Readers of trace formats.
