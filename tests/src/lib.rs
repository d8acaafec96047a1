//! The workspace's tests; see the files beside `src`.
