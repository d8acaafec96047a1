// Large types for the cases about the size of schemas.

/// Declares a type with ten fields of another type.
macro_rules! ten {
    ($name:ident of $part:ident) => {
        /// Ten parts.
        #[parameters]
        pub struct $name {
            pub f0: $part,
            pub f1: $part,
            pub f2: $part,
            pub f3: $part,
            pub f4: $part,
            pub f5: $part,
            pub f6: $part,
            pub f7: $part,
            pub f8: $part,
            pub f9: $part,
        }
    };
}

/// A part with a description of so many letters that a few hundred of them fill what a platform takes for one schema.
#[parameters]
pub struct Part {
    /// xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    pub part: bool,
}

ten!(Ten of Part);
ten!(Hundred of Ten);
