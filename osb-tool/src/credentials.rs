//! The credentials of platforms and of operators. Those in files can be replaced while the broker runs.

use std::{
    fs,
    hash::{BuildHasher, RandomState},
    path::{Path, PathBuf},
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
    /// Those of the platform that no option has: the author's, or the generated ones.
    pub(super) own: Option<AcceptedCredentials>,
    /// Those of operators, if there is an address for them.
    pub(super) operators: Option<AcceptedCredentials>,
    pub(super) files: Files,
}

impl Credentials {
    /// Reads them from the options, the environment and files. The platform without a prefix also accepts its `own`.
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
        let own = match &generated {
            Some(generated) => Some(generated.accepted()?),
            None => own.cloned(),
        };
        Ok(Self { platforms, generated, own, operators, files })
    }
}

/// Reads files with credentials, and remembers each in this order, with a digest of its contents.
#[derive(Default)]
pub(super) struct Files {
    hasher: RandomState,
    read: Vec<(PathBuf, u64)>,
}

impl Files {
    /// Reads the file that an option names.
    pub(super) fn read(&mut self, option: &str, file: &Path) -> Result<String, Failure> {
        let text = platforms::read(option, file)?;
        self.read.push((file.to_owned(), self.hasher.hash_one(&text)));
        Ok(text)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.read.is_empty()
    }

    /// Returns whether one of them is a pipe, which has its contents once: the next read would wait for more.
    pub(super) fn include_pipe(&self) -> bool {
        let is_pipe = |file: &Path| fs::metadata(file).is_ok_and(|it| !it.is_file() && !it.is_dir());
        self.read.iter().any(|(file, _)| is_pipe(file))
    }

    /// Prepares to read them again, and to compare them with these.
    pub(super) fn again(&self) -> Self {
        Self { hasher: self.hasher.clone(), read: Vec::new() }
    }

    pub(super) fn differ_from(&self, earlier: &Self) -> bool {
        self.read != earlier.read
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, Command, FromArgMatches as _, builder::Resettable};

    use super::*;

    #[test]
    fn files_differ_if_one_of_them_does() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths = ["first", "second"].map(|name| folder.path().join(name));
        let read = |mut files: Files| {
            for path in &paths {
                files.read("--option", path).expect("it is read");
            }
            files
        };
        let write = |path: &Path, text: &str| fs::write(path, text).expect("the file is written");
        for path in &paths {
            write(path, "old");
        }
        let first = read(Files::default());
        assert!(!read(first.again()).differ_from(&first));
        for path in &paths {
            write(path, "new");
            assert!(read(first.again()).differ_from(&first), "{}", path.display());
            write(path, "old");
        }
    }

    #[test]
    fn credentials_in_no_file_remain_when_those_of_operators_are_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("operators");
        let args =
            ["broker", "--admin-listen", "127.0.0.1:0", "--admin-credentials-file", file.to_str().expect("UTF-8")];
        // The variables of the machine that runs the test would take the place of generated credentials.
        let command = ServeArgs::augment_args(Command::new("broker")).mut_args(|arg| arg.env(Resettable::Reset));
        let matches = command.get_matches_from(args);
        let options = ServeArgs::from_arg_matches(&matches).expect("valid options");
        let of_author = AcceptedCredentials::bearer("a-token").expect("a token");
        for own in [None, Some(&of_author)] {
            fs::write(&file, "operator:old").expect("the file is written");
            let first = Credentials::read(&options, own, true, Files::default()).expect("they are valid");
            fs::write(&file, "operator:new").expect("the file is written");
            let again =
                Credentials::read(&options, first.own.as_ref(), false, first.files.again()).expect("they are valid");
            let generated = first.generated.and_then(|generated| generated.accepted().ok());
            assert!(generated.is_some() != own.is_some(), "they are generated where there are no others");
            assert!(again.files.differ_from(&first.files) && again.generated.is_none());
            let kept = generated.as_ref().or(own).expect("one of them");
            assert!(again.platforms.share(kept), "the platform keeps its credentials");
        }
    }
}
