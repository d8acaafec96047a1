//! Who may ask: from options and environment to platforms and their credentials.

use super::{Failure, cli::ServeArgs};
use crate::http::{Credentials, Platforms};

/// A pair that was made for this run.
pub(super) struct Made {
    pub(super) username: String,
    pub(super) password: String,
}

/// The platforms that the operator named; if there is none, and the address is `local`, one with credentials made here.
pub(super) fn platforms(
    options: &ServeArgs,
    local: bool,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<(Platforms, Option<Made>), Failure> {
    let mut platforms = given(options)?.map(Platforms::from);
    let mut variables = Vec::new();
    for platform in options.platforms.iter().flat_map(|list| list.split_whitespace()) {
        let Some((name, prefix)) = platform.split_once('=') else {
            return Err(Failure::Usage(format!(
                "platform `{platform}` has no prefix\n  write --platform NAME=/PREFIX, such as cf-prod=/cf-prod"
            )));
        };
        let from = variable_of(name);
        if variables.contains(&from) {
            return Err(Failure::Usage(format!("platform `{name}`: another one has its credentials in {from} too")));
        }
        let list = variable(&from).unwrap_or_default();
        let credentials = listed(&list, &from)?.ok_or_else(|| {
            Failure::Usage(format!(
                "platform `{name}` has no credentials\n  set {from} to one or several USER:PASSWORD pairs"
            ))
        })?;
        let more = match platforms {
            Some(platforms) => platforms.and_behind(name, prefix, credentials),
            None => Platforms::behind(name, prefix, credentials),
        };
        platforms = Some(more.map_err(|error| Failure::Usage(error.to_string()))?);
        variables.push(from);
    }
    if let Some(platforms) = platforms {
        return Ok((platforms, None));
    }
    if !local {
        return Err(Failure::Usage(
            "credentials are missing, and the address is not one of this machine alone\n  \
             set OSB_USERNAME and OSB_PASSWORD to what the platform is to authenticate with, or OSB_CREDENTIALS to \
             several USER:PASSWORD pairs\n  \
             to try the broker without, use --listen 127.0.0.1:8080"
                .to_owned(),
        ));
    }
    let made = make()?;
    let credentials = Credentials::basic(&made.username, &made.password);
    Ok((credentials.map_err(|error| Failure::Broken(error.to_string()))?.into(), Some(made)))
}

/// Where the credentials of a platform are: `OSB_PLATFORM_CF_PROD_CREDENTIALS` for `cf-prod`.
fn variable_of(name: &str) -> String {
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    format!("OSB_PLATFORM_{name}_CREDENTIALS")
}

fn make() -> Result<Made, Failure> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| Failure::Broken(format!("no random numbers: {error}")))?;
    let password = random.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Made { username: "broker".to_owned(), password })
}

/// What the operator gave for the platform without a prefix. Messages never show a part of it: it might be the password.
fn given(options: &ServeArgs) -> Result<Option<Credentials>, Failure> {
    let one = match (&options.username, &options.password) {
        (Some(user), Some(password)) => Some((user.as_str(), password.as_str())),
        (None, None) => None,
        (Some(_), None) => {
            return Err(Failure::Usage("a username without a password\n  set OSB_PASSWORD as well".to_owned()));
        }
        (None, Some(_)) => {
            return Err(Failure::Usage("a password without a username\n  set OSB_USERNAME as well".to_owned()));
        }
    };
    let several = pairs(options.credentials.as_deref().unwrap_or_default(), "OSB_CREDENTIALS")?;
    credentials(one.into_iter().chain(several), "the credentials are")
}

/// The credentials in a variable, if there are any.
fn listed(list: &str, variable: &str) -> Result<Option<Credentials>, Failure> {
    credentials(pairs(list, variable)?, &format!("the credentials in {variable} are"))
}

fn pairs<'a>(list: &'a str, variable: &str) -> Result<Vec<(&'a str, &'a str)>, Failure> {
    let pair = |(i, pair): (usize, &'a str)| {
        pair.split_once(':').ok_or_else(|| {
            Failure::Usage(format!(
                "pair {} of {variable} has no colon\n  write USER:PASSWORD, several separated by spaces or line ends",
                i + 1
            ))
        })
    };
    list.split_whitespace().enumerate().map(pair).collect()
}

fn credentials<'a>(
    pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    they_are: &str,
) -> Result<Option<Credentials>, Failure> {
    let mut all: Option<Credentials> = None;
    for (user, password) in pairs {
        let more = match all {
            Some(all) => all.or_basic(user, password),
            None => Credentials::basic(user, password),
        };
        all = Some(more.map_err(|error| Failure::Usage(format!("{they_are} unusable: {error}")))?);
    }
    Ok(all)
}
