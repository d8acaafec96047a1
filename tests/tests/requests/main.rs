//! Requests and answers over HTTP.

mod binding_rules;
mod client;
mod errors;
mod http_messages;
mod instance_rules;
mod requests_and_answers;
mod response_checks;
mod schemathesis;
