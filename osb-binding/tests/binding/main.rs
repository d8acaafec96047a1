//! The bindings of a process, and their forms.

mod environment;
mod forms;
#[cfg(unix)]
mod replaced;
