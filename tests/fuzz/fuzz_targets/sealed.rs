//! See `osb_lab::fuzz::sealed`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| osb_lab::fuzz::sealed(data));
