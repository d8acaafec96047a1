//! The service, its broker and its program, each as those see it who use it.

mod broker;
mod configuration;
mod data_plane;
mod deploy;
mod monitoring;
mod operating;
mod program;
mod stores;
mod world;
