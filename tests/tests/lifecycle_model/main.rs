//! Random requests, compared with a model of the lifecycle.
//!
//! `OSB_MODEL_SEQUENCES` is the number of request sequences in each test, `OSB_MODEL_SEED` the seed of the first.

mod model;
mod multi_worker;
mod runs;
mod single_worker;
mod store;
mod synchronous;
mod tables;
