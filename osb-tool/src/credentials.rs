//! The credentials of platforms and of operators. Those in files can be replaced while the broker runs.

use std::{
    hash::{BuildHasher, RandomState},
    path::Path,
};

use super::{
    Failure,
    platforms::{self, GeneratedCredentials},
    serve_args::ServeArgs,
};
use osb_runtime::http::{AcceptedCredentials, Platforms};

/// All credentials that the broker accepts.
pub(super) struct Credentials {
    pub(super) platforms: Platforms,
    /// Those of the platform, if they are valid for one run.
    pub(super) generated: Option<GeneratedCredentials>,
    /// Those of operators, if there is an address for them.
    pub(super) operators: Option<AcceptedCredentials>,
    pub(super) files: Files,
}

impl Credentials {
    /// Reads them from the options, the environment and files. The platform without a prefix also accepts the author's `own`.
    pub(super) fn read(
        options: &ServeArgs,
        own: Option<&AcceptedCredentials>,
        local: bool,
        mut files: Files,
    ) -> Result<Self, Failure> {
        let (platforms, generated) = platforms::platforms(options, own, local, &mut files)?;
        let operators = options.admin.credentials(&mut files)?;
        if operators.as_ref().is_some_and(|operators| platforms.share(operators)) {
            return Err(Failure::Usage(
                "the credentials of an operator are also those of a platform\n  set OSB_ADMIN_CREDENTIALS to \
                 USER:PASSWORD pairs that no platform has"
                    .to_owned(),
            ));
        }
        Ok(Self { platforms, generated, operators, files })
    }
}

/// Reads files with credentials, and remembers a digest of each, in this order.
#[derive(Default)]
pub(super) struct Files {
    hasher: RandomState,
    digests: Vec<u64>,
}

impl Files {
    /// Reads the file that an option names.
    pub(super) fn read(&mut self, option: &str, file: &Path) -> Result<String, Failure> {
        let text = platforms::read(option, file)?;
        self.digests.push(self.hasher.hash_one(&text));
        Ok(text)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.digests.is_empty()
    }

    /// Prepares to read them again, and to compare them with these.
    pub(super) fn again(&self) -> Self {
        Self { hasher: self.hasher.clone(), digests: Vec::new() }
    }

    pub(super) fn differ_from(&self, earlier: &Self) -> bool {
        self.digests != earlier.digests
    }
}
