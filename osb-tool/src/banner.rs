//! What is said once the broker listens.

use std::fmt::Write;

use super::{log::Format, platforms::Made};
use osb_runtime::catalog::Offering;
use osb_runtime::http::{DocsPage, Platforms};

pub(super) struct Banner<'a> {
    pub(super) program: &'a str,
    /// Where the broker listens.
    pub(super) url: String,
    pub(super) offerings: &'a [&'a Offering],
    pub(super) docs: DocsPage,
    /// Whether there is a platform without a prefix.
    pub(super) has_root: bool,
    pub(super) platforms: Vec<(String, String)>,
    pub(super) made: Option<&'a Made>,
    /// Where the records are.
    pub(super) state: &'a str,
    /// Where operators ask, if anywhere.
    pub(super) admin: Option<String>,
    /// Where probes and metrics are, if elsewhere.
    pub(super) monitor: Option<String>,
}

/// The platforms behind prefixes, by name.
pub(super) fn prefixes(platforms: &Platforms) -> Vec<(String, String)> {
    platforms.prefixes().map(|(name, prefix)| (name.to_owned(), prefix.to_owned())).collect()
}

impl Banner<'_> {
    pub(super) fn say(&self, log: Format) {
        match log {
            Format::Text => eprint!("{}", self.text()),
            Format::Json => self.log(),
        }
    }

    fn counted(&self) -> String {
        let all = self.offerings.iter().flat_map(|offering| offering.plans);
        let plans = all.filter(|plan| !plan.spec.retired).count();
        let counted = |n: usize, noun: &str| if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") };
        format!("{} with {}", counted(self.offerings.len(), "service"), counted(plans, "plan"))
    }

    fn log(&self) {
        let (url, monitor, admin) = (&self.url, &self.monitor, &self.admin);
        tracing::info!(url, catalog = self.counted(), state = self.state, monitor, admin, "the broker listens");
        for (name, prefix) in &self.platforms {
            tracing::info!(platform = name, url = format!("{url}/{prefix}"), "a platform is served");
        }
        if let Some(Made { username, password }) = self.made {
            tracing::info!(username, password, "no credentials were given, so these are for this run only");
        }
    }

    fn text(&self) -> String {
        let (program, url, state) = (self.program, &self.url, self.state);
        let mut out = format!("{program}: {} at {url}\n  state: {state}\n", self.counted());
        let monitor = self.monitor.as_ref().unwrap_or(url);
        _ = writeln!(out, "  health: {monitor}/healthz /readyz /metrics");
        if let Some(admin) = &self.admin {
            _ = writeln!(out, "  administration: {admin}");
        }
        for (name, prefix) in &self.platforms {
            _ = writeln!(out, "  platform {name}: {url}/{prefix}");
        }
        _ = match self.docs {
            DocsPage::Off => writeln!(out, "  documentation: {program} docs"),
            DocsPage::WithCredentials if !self.has_root => {
                let pages = self.platforms.iter().map(|(_, prefix)| format!("{url}/{prefix}/docs"));
                writeln!(out, "  documentation: {}", pages.collect::<Vec<_>>().join(" "))
            }
            _ => writeln!(out, "  documentation: {url}/docs"),
        };
        if let Some(Made { username, password }) = self.made {
            _ = write!(
                out,
                "  credentials: none were given, so these are for this run only; try them in another shell:\n\n    \
                 export OSB_USERNAME={username} OSB_PASSWORD={password} BROKER={url}\n    \
                 curl -u \"$OSB_USERNAME:$OSB_PASSWORD\" -H \"X-Broker-API-Version: 2.17\" \"$BROKER/v2/catalog\"\n\n"
            );
        }
        out
    }
}
