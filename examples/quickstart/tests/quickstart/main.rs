//! The program as a process.

mod client_command;
mod command_line;
