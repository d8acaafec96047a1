//! Generated code names everything in full, through the crate that it is told.
#![no_implicit_prelude]
#![deny(warnings)]

extern crate osb_runtime as renamed;

use ::std::string::String;

mod shadowed {
    #![allow(dead_code, non_camel_case_types)]
    pub struct Option;
    pub struct Vec;
    pub struct Result;
    pub struct Some;
    pub trait Default {}
    pub mod core {}
    pub mod std {}
    pub mod serde {}
}
#[allow(unused_imports)]
use shadowed::*;

#[renamed::parameters(crate = ::renamed, partial = Changes)]
#[derive(Debug, Clone)]
pub struct New {
    #[param(range(min = 1), default = 5)]
    pub ttl: u32,
    #[param(pattern = "^a$", default = "a")]
    pub name: String,
    #[param(pattern = "^a$", secret)]
    pub token: ::std::option::Option<::std::string::String>,
    pub other: Other,
    pub list: ::std::vec::Vec<Other>,
    pub maybe: ::std::option::Option<Other>,
}

#[renamed::parameters(crate = ::renamed)]
#[derive(Debug, Clone)]
pub enum Other {
    One,
    Two,
}

#[renamed::credentials(crate = ::renamed)]
pub struct Access {
    pub uri: String,
}

macro_rules! parameters {
    ($name:ident, $field:ident: $ty:ty = $default:expr, $max:literal, $text:literal) => {
        #[renamed::parameters(crate = ::renamed, title = $text)]
        pub struct $name {
            #[param(default = $default, range(max = $max))]
            pub $field: $ty,
        }
    };
}
parameters!(Made, ttl: ::std::option::Option<u32> = 5, 10, "Made");

fn main() {
    let _: &[u8] = <New as renamed::schema::Parameters>::JSON;
    let _: &[u8] = <Changes as renamed::schema::Parameters>::JSON;
    let _: &[u8] = <Made as renamed::schema::Parameters>::JSON;
}
