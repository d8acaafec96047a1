//! Warnings of const evaluation, each about a rule that [`check`](super::check) or a schema decides.

/// A warning with a constant condition: `Warning::<true>` has deprecated functions, `Warning::<false>` has not.
pub struct Warning<const CONDITION: bool>;

macro_rules! warnings {
    ($(#[doc = $rules:literal] $name:ident $note:literal;)*) => {
        /// The same functions without a warning. They apply if the condition is false, or unknown because of another error.
        pub trait Silent {
            $(
                /// Does not warn.
                fn $name() {}
            )*
        }

        impl<const CONDITION: bool> Silent for Warning<CONDITION> {}

        impl Warning<true> {
            $(
                #[doc = $rules]
                #[deprecated(note = $note)]
                pub fn $name() {}
            )*
        }
    };
}

warnings! {
    /// CAT-05, CAT-31.
    two_plan_names_differ_in_case_only
        "two plans have names that differ only in case, which Cloud Foundry on MySQL treats as the same name (CAT-31); rename one of them";
    /// CAT-05, CAT-10.
    two_service_names_differ_in_case_only
        "two services have names that differ only in case, which Cloud Foundry on MySQL treats as the same name (CAT-10); rename one of them";
    /// CAT-11, CAT-30.
    an_offering_and_a_plan_share_an_id
        "an offering and a plan have the same id, which platforms allow but people confuse; give one of them a new GUID";
    /// CAT-17.
    bindings_are_retrievable_but_no_plan_is_bindable
        "no plan of this offering is bindable; remove `bindings_retrievable`, or make a plan bindable";
    /// T26.
    an_update_requires_parameters
        "every update has to send the required parameters of this type, even if it changes others; make them `Option`, or use the type that `#[parameters(partial = ...)]` generates";
    /// CAT-53, X13.
    a_schema_is_nearly_too_large
        "this schema has more than 64000 bytes, and platforms that count 64 kB as 64000 bytes reject it (CAT-53): shorten the descriptions, or remove parameters";
}
