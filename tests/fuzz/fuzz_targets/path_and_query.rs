//! See `osb_lab::fuzz::path_and_query`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| osb_lab::fuzz::path_and_query(data));
