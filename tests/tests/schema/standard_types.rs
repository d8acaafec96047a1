//! The macro writes the documents of types whose fields have standard types. They are those that const evaluation writes.

use osb_runtime::{
    parameters,
    schema::{Parameters, document},
};

/// Compares the document of the macro with that of the schema.
fn compare<T: Parameters>() {
    assert_eq!(std::str::from_utf8(T::JSON), Ok(&*document(&T::SCHEMA)), "{}", std::any::type_name::<T>());
}

/// Declares types of one field for every combination of a type with arguments, and compares their documents.
macro_rules! compare {
    ($($name:ident: $($ty:ty),+ => $arguments:tt;)+) => {
        $(compare!(@each $name $arguments $($ty),+);)+
    };
    (@each $name:ident $arguments:tt $($ty:ty),+) => {
        #[test]
        fn $name() {
            $({
                compare!(@one $ty, $arguments);
                compare!(@one Option<$ty>, $arguments);
            })+
        }
    };
    (@one $ty:ty, ($($argument:tt)*)) => {{
        /// "Quoted" text, with a \ and an é.
        #[parameters(title = "A <title>")]
        struct One {
            /// What it is,
            /// in two lines.
            #[param($($argument)*)]
            value: $ty,
            last: bool,
        }
        compare::<One>();
    }};
}

compare! {
    plain: bool, u8, u16, u32, u64, usize, i8, i16, i32, i64, f32, f64, char, String, Vec<bool>, Vec<Vec<i64>> => ();
    named: bool, i8, f64, String, Vec<String> => (rename = "a \"name\"", title = "t", description = "é\n", alias = "b");
    ranges: u8, u16, u32, u64, i8, i16, i32, i64, f64, f32 => (range(min = 1, max = 100));
    minimums: u8, i64, f64 => (range(min = 3));
    maximums: u8, i64, f64 => (range(max = 0));
    exclusive_bounds: u8, i64, f64 => (range(exclusive_min = 3, exclusive_max = 9), default = 5);
    bounds_with_decimals: f64 => (range(min = -0.50, exclusive_max = 1.5e3), default = 09.90);
    negative_bounds: i8, i64, f64 => (range(min = -7, max = -3), default = -7);
    one_value: u8, i64 => (range(min = 3, max = 3), default = 3);
    extremes: u64 => (range(max = 18_446_744_073_709_551_615), default = 18_446_744_073_709_551_615);
    divisors: u8, u64, i64, f64 => (range(min = 10, max = 90), multiple_of = 30, default = 60, example = 30);
    defaults_of_numbers: u8, i64, f64 => (default = 0, examples(1, 2));
    defaults_of_booleans: bool => (default = true);
    lengths: String, Vec<bool>, Vec<String> => (length(min = 1, max = 9));
    minimal_lengths: String, Vec<u8> => (length(min = 0));
    maximal_lengths: String, Vec<u8> => (length(max = 4_294_967_295));
    patterns: String => (pattern = "^\"[a-zé]\\d*\"?$", length(max = 5), default = "\"é1\"");
    formats: String => (format = "date-time");
    formats_with_defaults: String => (format = "ipv4", default = "10.0.0.1", example = "10.0.0.2");
    patterns_and_formats: String => (format = "hostname", pattern = "^a", length(min = 2));
    texts: String => (default = "a\\b\n\"<é>", length(max = 8));
    unique_lists: Vec<u8>, Vec<i64>, Vec<f64> => (unique, length(min = 1, max = 3), default = [1, 2]);
    empty_lists: Vec<u8>, Vec<String>, Vec<Vec<bool>> => (default = []);
    items: Vec<u8>, Vec<i64> => (items(range(max = 9)), default = [1, 9]);
    items_of_items: Vec<Vec<String>> => (items(unique, items(length(max = 3), pattern = "^a"))) ;
    secrets: String, u8 => (secret);
    immutable: String, u8 => (immutable);
}

const MOST: u8 = 9;

#[test]
fn types_of_several_fields() {
    #[parameters]
    struct Empty {}
    #[parameters(open, rename_all = "camelCase", partial = SeveralChanges)]
    struct Several {
        first_number: u8,
        #[param(default = 3)]
        second_number: u8,
        optional_texts: Option<Vec<String>>,
        texts: Vec<String>,
    }
    #[parameters]
    struct WithConstant {
        #[param(range(max = MOST))]
        first: u8,
    }
    compare::<Empty>();
    compare::<Several>();
    compare::<SeveralChanges>();
    compare::<WithConstant>();
}

/// The names of standard types can be those of others.
mod aliases {
    #![allow(non_camel_case_types, reason = "a type is called as a standard one")]

    use osb_runtime::parameters;

    type String = i8;
    type Vec<T> = Option<T>;
    type u64 = std::string::String;

    #[parameters]
    pub struct Aliases {
        pub text: String,
        pub texts: Vec<bool>,
        #[param(description = "A text that is called a number.")]
        pub number: u64,
    }

    /// A document that needs more room than most.
    #[parameters]
    pub struct Long {
        #[param(pattern = "^a{1,2000}$", length(max = 10))]
        pub first: std::string::String,
        /// aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
        pub number: u64,
        #[param(default = [
            true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true
        ])]
        pub flags: std::vec::Vec<bool>,
    }
}

#[test]
fn types_with_the_names_of_others() {
    compare::<aliases::Aliases>();
    compare::<aliases::Long>();
    let json = std::str::from_utf8(<aliases::Aliases as Parameters>::JSON).unwrap_or_default();
    assert!(json.contains(r#""text":{"type":"integer","minimum":-128,"#), "{json}");
}
