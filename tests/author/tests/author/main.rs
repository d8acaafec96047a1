//! The program of an author, as a process.

mod options;
mod parts;
mod tls;
mod transfer;
mod world;
