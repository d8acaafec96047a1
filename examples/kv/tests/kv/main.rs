//! The service, its broker and its program, from a client's point of view.

mod broker;
mod configuration;
mod data_plane;
mod deploy;
mod monitoring;
mod operating;
mod program;
mod stores;
mod world;
