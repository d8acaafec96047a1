//! The URL of a log drain has no scheme.

use osb_runtime::prelude::*;

const DRAIN: LogDrain = LogDrain::from_static("logs.example.com:6514");

fn main() {
    let _ = Bound::new(DRAIN, ());
}
