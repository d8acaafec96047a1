//! The program of an author, as a process.

mod families;
mod options;
mod parts;
mod start;
mod tls;
mod traces;
mod transfer;
mod world;
