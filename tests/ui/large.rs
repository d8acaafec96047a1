// Large types for the cases about the size of schemas.

/// A part with a description of so many letters that a few hundred of them fill what a platform takes for one schema.
#[parameters]
pub struct Part {
    /// xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    pub part: bool,
}

/// Ten parts.
#[parameters]
pub struct Ten {
    pub f0: Part,
    pub f1: Part,
    pub f2: Part,
    pub f3: Part,
    pub f4: Part,
    pub f5: Part,
    pub f6: Part,
    pub f7: Part,
    pub f8: Part,
    pub f9: Part,
}

/// A hundred parts.
#[parameters]
pub struct Hundred {
    pub f0: Ten,
    pub f1: Ten,
    pub f2: Ten,
    pub f3: Ten,
    pub f4: Ten,
    pub f5: Ten,
    pub f6: Ten,
    pub f7: Ten,
    pub f8: Ten,
    pub f9: Ten,
}
