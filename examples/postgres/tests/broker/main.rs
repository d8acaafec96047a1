//! The broker over a real server, seen by platforms, by applications and by the administrator of the server.

mod databases_and_logins;
mod handlers;
mod program;
mod world;
