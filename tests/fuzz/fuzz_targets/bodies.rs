//! See `osb_lab::fuzz::bodies`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| osb_lab::fuzz::bodies(data));
