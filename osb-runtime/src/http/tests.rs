//! Tests over real connections.
