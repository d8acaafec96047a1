//! JSON pointers (RFC 6901), which name a place within a value: `/plans/0/name`.

use std::borrow::Cow;

/// Returns the pointer to a member of the object at `pointer`.
///
/// ```
/// use osb_catalog::json::pointer;
/// assert_eq!(pointer::member("/mounts", "a/b"), "/mounts/a~1b");
/// ```
#[must_use]
pub fn member(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Returns the names of members and the indices of items on the way to the place; none for the whole value.
///
/// ```
/// use osb_catalog::json::pointer;
/// assert_eq!(pointer::steps("/mounts/a~1b").collect::<Vec<_>>(), ["mounts", "a/b"]);
/// ```
pub fn steps(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let unescaped = |step: &str| step.replace("~1", "/").replace("~0", "~");
    pointer.split('/').skip(1).map(move |step| if step.contains('~') { unescaped(step).into() } else { step.into() })
}
