//! The message that `serve` prints once it listens.

use std::fmt::Write;

use super::{counted, log::Format, platforms::GeneratedCredentials};
use osb_runtime::{catalog::Offering, http::DocsPage};

pub(super) struct Banner<'a> {
    pub(super) program: &'a str,
    pub(super) version: &'a str,
    /// Where the broker listens.
    pub(super) url: String,
    pub(super) offerings: Vec<&'static Offering>,
    pub(super) docs: DocsPage,
    /// `true` if a platform without a prefix is configured.
    pub(super) has_root: bool,
    /// The names and the prefixes of the platforms behind a prefix.
    pub(super) platforms: Vec<(String, String)>,
    pub(super) generated: Option<GeneratedCredentials>,
    /// The location of the records.
    pub(super) state: &'a str,
    /// The URL for operators.
    pub(super) admin: Option<String>,
    /// The URL of probes and metrics, if they have one of their own.
    pub(super) monitor: Option<String>,
}

impl Banner<'_> {
    pub(super) fn print(&self, log: Format) {
        match log {
            Format::Text => super::tell(&self.text()),
            Format::Json => self.log(),
        }
    }

    fn counted(&self) -> String {
        let all = self.offerings.iter().flat_map(|offering| offering.plans);
        let plans = all.filter(|plan| !plan.spec.retired).count();
        format!("{} with {}", counted(self.offerings.len(), "service"), counted(plans, "plan"))
    }

    fn log(&self) {
        let (url, monitor, admin) = (&self.url, &self.monitor, &self.admin);
        let version = Some(self.version).filter(|version| !version.is_empty());
        tracing::info!(
            url,
            version,
            catalog = self.counted(),
            state = self.state,
            monitor,
            admin,
            "the broker is listening"
        );
        for (name, prefix) in &self.platforms {
            tracing::info!(platform = name, url = format!("{url}/{prefix}"), "serving a platform");
        }
        if let Some(GeneratedCredentials { username, password }) = &self.generated {
            tracing::info!(username, password, "no credentials are configured; generated these for this run");
        }
    }

    fn text(&self) -> String {
        let (program, url, state) = (self.program, &self.url, self.state);
        let named = format!("{program} {}", self.version);
        let mut out = format!("{}: {} at {url}\n  state: {state}\n", named.trim_end(), self.counted());
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
        if let Some(GeneratedCredentials { username, password }) = &self.generated {
            _ = write!(
                out,
                "  credentials: none are configured; generated for this run. Try them in another shell:\n\n    \
                 export OSB_USERNAME={username} OSB_PASSWORD={password} BROKER={url}\n    \
                 curl -u \"$OSB_USERNAME:$OSB_PASSWORD\" -H \"X-Broker-API-Version: 2.17\" \"$BROKER/v2/catalog\"\n\n"
            );
        }
        out
    }
}
