//! Requests and answers over HTTP.

mod client;
mod errors;
mod http_messages;
mod response_checks;
mod rules;
mod schemathesis;
