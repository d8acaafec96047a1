//! Schemas and the parameters that they accept.

mod boundaries;
mod fuzz_corpus;
mod parameters;
mod patterns;
mod schema_agrees;
mod standard_types;
mod wrong_documents;
