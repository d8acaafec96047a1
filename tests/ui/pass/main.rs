//! Programs that have to compile and to end well. Each says which lints it denies.
//!
//! They are public modules, because some lints are only about public items. Those that depend on the root of a crate are
//! targets of their own: see `Cargo.toml`.

pub mod brokers_of_one_service;
pub mod catalog_of_all_arguments;
pub mod debug_of_secrets;
pub mod flags_and_limits;
pub mod generic_and_specific;
pub mod inside_a_function;
pub mod inside_macro_rules;
pub mod large_schema_allowed;
pub mod names_that_generated_code_uses;
pub mod parameters_under_strict_lints;
pub mod partial_types_and_variants;
pub mod raw_identifiers;
pub mod schema_of_all_arguments;
pub mod service_behind_its_own_field;
pub mod strict_lints;
pub mod types_named_like_the_standard_library;
pub mod waiting;
pub mod warnings_can_be_allowed;

fn main() {
    brokers_of_one_service::main();
    catalog_of_all_arguments::main();
    debug_of_secrets::main();
    flags_and_limits::main();
    generic_and_specific::main();
    inside_a_function::main();
    inside_macro_rules::main();
    large_schema_allowed::main();
    names_that_generated_code_uses::main();
    parameters_under_strict_lints::main();
    partial_types_and_variants::main();
    raw_identifiers::main();
    schema_of_all_arguments::main();
    service_behind_its_own_field::main();
    strict_lints::main();
    types_named_like_the_standard_library::main();
    waiting::main();
    warnings_can_be_allowed::main();
}
