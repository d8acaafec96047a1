//! The broker over a real server, seen by platforms, by applications and by the administrator of the server.

mod handlers;
mod life;
mod program;
mod world;
