//! Requests and answers over HTTP.

mod answers;
mod binding_rules;
mod client;
mod errors;
mod http_messages;
mod instance_rules;
mod response_checks;
mod schemathesis;
