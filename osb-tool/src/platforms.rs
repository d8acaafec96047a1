//! Reads platforms and their credentials from options and the environment.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use super::{Failure, credentials::Files, serve_args::ServeArgs};
use osb_runtime::http::{AcceptedCredentials, Platforms};

/// Credentials that are valid for one run.
pub(super) struct GeneratedCredentials {
    pub(super) username: String,
    pub(super) password: String,
}

impl GeneratedCredentials {
    pub(super) fn accepted(&self) -> Result<AcceptedCredentials, Failure> {
        AcceptedCredentials::basic(&self.username, &self.password).map_err(Failure::broken)
    }
}

/// Returns the configured platforms; the one without a prefix also accepts the author's own credentials. If there are none, no
/// file was to have them, and the address is `local`, returns one with generated credentials.
pub(super) fn platforms(
    options: &ServeArgs,
    own: Option<&AcceptedCredentials>,
    local: bool,
    files: &mut Files,
) -> Result<(Platforms, Option<GeneratedCredentials>), Failure> {
    let mut platforms = root_credentials(options, own.cloned(), files)?.map(Platforms::from);
    // The value of a variable, or the contents of the file that `{name}_FILE` names. An empty variable is as good as none.
    let variable = |name: &str| std::env::var(name).ok().filter(|text| !text.trim().is_empty());
    let mut variable = |name: &str| match variable(name) {
        Some(text) => Ok(text),
        None => {
            let named = format!("{name}_FILE");
            variable(&named).map_or(Ok(String::new()), |file| files.read(&named, Path::new(&file)))
        }
    };
    let mut variables = Vec::new();
    for platform in options.platforms.iter().flat_map(|list| list.split_whitespace()) {
        let (name, prefix) = name_and_prefix(platform)?;
        let [pairs, tokens] = variables_of(name);
        if variables.contains(&pairs) {
            return Err(Failure::Usage(format!(
                "platform `{name}`: another platform's credentials are also in {pairs}; rename one of the platforms"
            )));
        }
        let credentials = combine(None, None, &[(&variable(&pairs)?, &pairs)], &[(&variable(&tokens)?, &tokens)])?;
        let credentials = credentials.ok_or_else(|| {
            Failure::Usage(format!(
                "platform `{name}` has no credentials\n  set {pairs} to USER:PASSWORD pairs, or {tokens} to tokens"
            ))
        })?;
        let more = match platforms {
            Some(platforms) => platforms.and_behind(name, prefix, credentials),
            None => Platforms::behind(name, prefix, credentials),
        };
        platforms = Some(more.map_err(Failure::usage)?);
        variables.push(pairs);
    }
    match platforms {
        Some(platforms) => Ok((platforms, None)),
        None => with_generated_credentials(options, local),
    }
}

fn name_and_prefix(platform: &str) -> Result<(&str, &str), Failure> {
    let missing = match platform.split_once('=') {
        Some(("", _)) => "name",
        Some(both) => return Ok(both),
        None => "prefix",
    };
    Err(Failure::Usage(format!(
        "platform `{platform}` has no {missing}\n  write --platform NAME=/PREFIX, such as cf-prod=/cf-prod"
    )))
}

fn with_generated_credentials(
    options: &ServeArgs,
    local: bool,
) -> Result<(Platforms, Option<GeneratedCredentials>), Failure> {
    // The operator has set credentials, or tried to: generated ones would hide the mistake.
    if let Some(file) = options.osb_credentials_file.as_ref().or(options.osb_bearer_tokens_file.as_ref()) {
        return Err(Failure::Usage(format!(
            "{} has no credentials\n  write USER:PASSWORD pairs, or tokens, into it; without such a file, the broker generates \
             credentials at a loopback address",
            file.display()
        )));
    }
    if !local {
        return Err(Failure::Usage(
            "credentials are required, because other machines can reach this address\n  \
             set OSB_USERNAME and OSB_PASSWORD, or OSB_CREDENTIALS to several USER:PASSWORD pairs, or OSB_BEARER_TOKENS to \
             tokens\n  \
             to try the broker without setting credentials, use --listen 127.0.0.1:8080"
                .to_owned(),
        ));
    }
    let generated = generate()?;
    Ok((generated.accepted()?.into(), Some(generated)))
}

/// Returns the variables with the pairs and the tokens of a platform: `OSB_PLATFORM_CF_PROD_CREDENTIALS` and
/// `OSB_PLATFORM_CF_PROD_BEARER_TOKENS` for `cf-prod`.
fn variables_of(name: &str) -> [String; 2] {
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    ["CREDENTIALS", "BEARER_TOKENS"].map(|what| format!("OSB_PLATFORM_{name}_{what}"))
}

/// Returns a warning for each variable with the credentials of a platform that is not among the `listed` ones, as in `--platform`.
pub(super) fn check_variables(listed: &[String], set: impl Iterator<Item = OsString>) -> Vec<String> {
    let names = listed.iter().flat_map(|list| list.split_whitespace()).filter_map(|one| one.split_once('='));
    let read: Vec<String> = names.flat_map(|(name, _)| variables_of(name)).collect();
    let is_unread = |variable: &str| {
        let Some(variable) = variable.strip_prefix("OSB_PLATFORM_") else { return false };
        let variable = variable.strip_suffix("_FILE").unwrap_or(variable);
        let has_credentials = variable.ends_with("_CREDENTIALS") || variable.ends_with("_BEARER_TOKENS");
        has_credentials && !read.iter().any(|read| read.strip_prefix("OSB_PLATFORM_") == Some(variable))
    };
    let unread = set.filter_map(|name| name.into_string().ok()).filter(|name| is_unread(name));
    unread
        .map(|name| format!("the variable {name} is set, but --platform (OSB_PLATFORMS) has no such platform"))
        .collect()
}

/// Generates random credentials.
pub(super) fn generate() -> Result<GeneratedCredentials, Failure> {
    let mut random = [0; 16];
    getrandom::fill(&mut random)
        .map_err(|error| Failure::Broken(format!("the system provides no random numbers: {error}")))?;
    let password = random.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(GeneratedCredentials { username: "broker".to_owned(), password })
}

fn one_without(set: &str, missing: &str) -> Failure {
    Failure::Usage(format!("{set} is set without {missing}"))
        .with_advice("set both, or write `user:password` into a file and name it in OSB_CREDENTIALS_FILE")
}

/// Reads the credentials of the platform without a prefix. Messages never contain any part of them: it might be the password.
fn root_credentials(
    options: &ServeArgs,
    own: Option<AcceptedCredentials>,
    files: &mut Files,
) -> Result<Option<AcceptedCredentials>, Failure> {
    let one = match (&options.osb_username, &options.osb_password) {
        (Some(user), Some(password)) => Some((user.as_str(), password.as_str())),
        (None, None) => None,
        (Some(_), None) => return Err(one_without("OSB_USERNAME", "OSB_PASSWORD")),
        (None, Some(_)) => return Err(one_without("OSB_PASSWORD", "OSB_USERNAME")),
    };
    let mut in_file =
        |option, file: &Option<PathBuf>| file.as_deref().map_or(Ok(String::new()), |file| files.read(option, file));
    let pairs = options.osb_credentials.as_deref().unwrap_or_default();
    let tokens = options.osb_bearer_tokens.as_deref().unwrap_or_default();
    combine(
        own,
        one,
        &[
            (pairs, "OSB_CREDENTIALS"),
            (&in_file("--credentials-file", &options.osb_credentials_file)?, "the credentials file"),
        ],
        &[
            (tokens, "OSB_BEARER_TOKENS"),
            (&in_file("--bearer-tokens-file", &options.osb_bearer_tokens_file)?, "the bearer tokens file"),
        ],
    )
}

/// Parses lists of pairs, each with the name of its source.
pub(super) fn pairs(lists: &[(&str, &str)]) -> Result<Option<AcceptedCredentials>, Failure> {
    combine(None, None, lists, &[])
}

/// Reads the file that an option names.
pub(super) fn read(option: &str, file: &Path) -> Result<String, Failure> {
    let unreadable = |error| Failure::Usage(format!("{option}: {} cannot be read: {error}", file.display()));
    let mut text = fs::read_to_string(file).map_err(unreadable)?;
    // A byte order mark would be a part of the first name or token. It is removed in place: a second copy would not be wiped.
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    Ok(text)
}

/// Combines credentials and one pair with lists of pairs and tokens, each with the name of its source.
fn combine(
    mut all: Option<AcceptedCredentials>,
    one: Option<(&str, &str)>,
    pairs: &[(&str, &str)],
    tokens: &[(&str, &str)],
) -> Result<Option<AcceptedCredentials>, Failure> {
    let unusable = |which: String, error| Failure::Usage(format!("{which} is invalid: {error}"));
    let mut add = |(user, password), which| {
        let more = match all.take() {
            Some(all) => all.or_basic(user, password),
            None => AcceptedCredentials::basic(user, password),
        };
        all = Some(more.map_err(|error| unusable(which, error))?);
        Ok::<(), Failure>(())
    };
    if let Some(pair) = one {
        add(pair, "the username or the password".to_owned())?;
    }
    for (pair, which) in numbered(pairs) {
        let which = format!("pair {which}");
        let Some(pair) = pair.split_once(':') else {
            return Err(Failure::Usage(format!(
                "{which} has no colon\n  write USER:PASSWORD, and separate several pairs by white space"
            )));
        };
        add(pair, which)?;
    }
    for (token, which) in numbered(tokens) {
        let more = match all {
            Some(all) => all.or_bearer(token),
            None => AcceptedCredentials::bearer(token),
        };
        all = Some(more.map_err(|error| unusable(format!("token {which}"), error))?);
    }
    Ok(all)
}

/// Returns the words of all lists, each with its position.
fn numbered<'a>(lists: &'a [(&'a str, &'a str)]) -> impl Iterator<Item = (&'a str, String)> {
    lists.iter().flat_map(|(list, name)| {
        list.split_whitespace().enumerate().map(move |(i, word)| (word, format!("{} of {name}", i + 1)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_of_a_platform_that_is_not_listed_are_reported() {
        let listed = ["cf-prod=/cf k8s=/k8s".to_owned(), "sap=/sap".to_owned()];
        let warnings = |name: &str| check_variables(&listed, std::iter::once(name.into())).len();
        for name in
            ["OSB_PLATFORM_CF_CREDENTIALS", "OSB_PLATFORM_K8_BEARER_TOKENS", "OSB_PLATFORM_SAP2_CREDENTIALS_FILE"]
        {
            assert_eq!(warnings(name), 1, "{name}");
        }
        for name in [
            "OSB_PLATFORM_CF_PROD_CREDENTIALS",
            "OSB_PLATFORM_K8S_BEARER_TOKENS_FILE",
            "OSB_PLATFORM_SAP_CREDENTIALS",
            "OSB_PLATFORMS",
            "OSB_PLATFORM_SERVICE_HOST",
        ] {
            assert_eq!(warnings(name), 0, "{name}");
        }
    }
}
