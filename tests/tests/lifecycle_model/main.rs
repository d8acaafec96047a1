//! Random requests, against a model of the lifecycle that is as simple as the tables of states and requests.
//!
//! `OSB_MODEL_SEQUENCES` says how many sequences of requests each test tries, `OSB_MODEL_SEED` from which one on.

mod alone;
mod crowd;
mod dice;
mod home;
mod model;
mod synchronous;
mod tables;
mod threads;
