//! `metadata(...)` of a service: the profile's conventional names, typed, and JSON members for the rest (PROF-10).

use syn::LitStr;

use crate::{
    args::{ArgumentList, Flag, Given, Group, Hint, MemberUse, Nested, Text, arguments},
    errors::Report,
    metadata::{DESCRIPTION, EXAMPLE, Members},
    rules,
};

arguments! {
    /// `metadata(...)` of a service (PROF-10).
    pub(super) struct RawServiceMetadata {
        /// `display_name = "..."` | The name that people read; a warning above 255 characters. | PROF-10
        display_name: Given<Text>,
        /// `image_url = "..."` | A picture: an `https:`, `http:` or `data:` URL. | PROF-10
        image_url: Given<Text>,
        /// `long_description = "..."` | A description of any length. | PROF-10
        long_description: Given<Text>,
        /// `provider_display_name = "..."` | The name of the operator; a warning above 255 characters. | PROF-10
        provider_display_name: Given<Text>,
        /// `documentation_url = "..."` | The URL of the documentation. | PROF-10
        documentation_url: Given<Text>,
        /// `support_url = "..."` | The URL of the support page. | PROF-10
        support_url: Given<Text>,
        /// `shareable` | Whether Cloud Foundry lets instances be shared between spaces. | PROF-10
        shareable: Given<Flag>,
    }
}

impl Group for RawServiceMetadata {
    const NAME: &'static str = "metadata";
    const EXAMPLE: &'static str = EXAMPLE;
    const WHOSE: &'static str = "`metadata` of a service";
    const HINTS: &'static [Hint] = &[
        DESCRIPTION,
        ("bullets", "they are a plan's: `#[plan(..., metadata(bullets(\"...\")))]`"),
        ("costs", "they are a plan's: `#[plan(..., metadata(costs((usd = 9.90, unit = \"MONTHLY\"))))]`"),
    ];
    const MEMBERS: MemberUse = MemberUse::Taken;
}

/// The metadata of a service: the catalog's member, and the parts that the documentation shows.
#[derive(Default)]
pub(super) struct ServiceMetadata {
    pub(super) json: String,
    pub(super) display_name: Option<String>,
    pub(super) long_description: Option<String>,
    pub(super) documentation_url: Option<String>,
    pub(super) support_url: Option<String>,
    pub(super) image_url: Option<String>,
    /// The URLs to check, with the names of the arguments.
    pub(super) urls: Vec<(&'static str, LitStr)>,
}

impl ServiceMetadata {
    pub(super) fn validate(given: Given<Nested<RawServiceMetadata>>, report: &mut Report) -> Self {
        let Some(nested) = given.take(&mut report.errors) else { return Self::default() };
        let Nested { arguments, members: others, .. } = nested.report(&mut report.errors);
        let mut members = Members::default();
        let mut text = |key: &str, given: Given<Text>| {
            let text = given.take(&mut report.errors);
            members.add_text(key, text.as_ref());
            text
        };
        let display_name = text("displayName", arguments.display_name);
        let image_url = text("imageUrl", arguments.image_url);
        let long_description = text("longDescription", arguments.long_description);
        let provider = text("providerDisplayName", arguments.provider_display_name);
        let documentation_url = text("documentationUrl", arguments.documentation_url);
        let support_url = text("supportUrl", arguments.support_url);
        if let Some(Flag(shareable)) = arguments.shareable.take(&mut report.errors) {
            members.add("shareable", shareable.to_string());
        }
        for text in [&display_name, &provider].into_iter().flatten() {
            rules::length(&text.0, report);
        }
        let mut urls = Vec::new();
        for (name, text, data) in [
            ("image_url", &image_url, true),
            ("documentation_url", &documentation_url, false),
            ("support_url", &support_url, false),
        ] {
            if let Some(text) = text {
                rules::url(name, text, data, report);
                if !text.value().starts_with("data:") {
                    urls.push((name, text.0.clone()));
                }
            }
        }
        members.add_others(others, RawServiceMetadata::NAMES, report);
        let value = |text: Option<Text>| text.map(|text| text.value());
        Self {
            json: members.json(),
            display_name: value(display_name),
            long_description: value(long_description),
            documentation_url: value(documentation_url),
            support_url: value(support_url),
            image_url: value(image_url),
            urls,
        }
    }
}
