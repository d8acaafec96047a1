//! The result of a bind has no state.

use osb_runtime::prelude::*;

fn bind() -> Result<Bound<LogDrain>, BindError> {
    Ok(Bound::new(LogDrain::new("syslog-tls://logs.example.com:6514")?))
}

fn main() {
    let _ = bind();
}
