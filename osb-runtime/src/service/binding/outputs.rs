//! The outputs of a binding, each a member of the answer.

use std::{borrow::Cow, ops::RangeInclusive};

use serde_json::{Map, Value};

use super::{BindingOutput, member};
use crate::{
    catalog::Requires,
    json::{Json, Members, json},
    protocol::{debug_fields, debug_text},
    schema::{CredentialsSchema, Schema},
    service::url::{InvalidUrl, Rules},
};

/// Credentials: a type with `#[credentials]` (BIND-16). They should be unique to the binding.
pub struct Credentials<T>(pub T);

debug_text!(Credentials<T> where T, _ => "Credentials(..)");

impl<T: CredentialsSchema + Send + 'static> BindingOutput for Credentials<T> {
    const REQUIRES: Requires = Requires::NONE;
    const CREDENTIALS: Option<&'static Schema> = Some(&T::SCHEMA);
    type Member = member::Credentials;

    fn write(self, fields: &mut Members) -> Result<(), serde_json::Error> {
        let mut credentials = Json::of(&self.0)?;
        for (name, value) in T::CONSTANTS {
            credentials[*name] = (*value).into();
        }
        fields.insert("credentials", credentials);
        Ok(())
    }
}

/// A URL to which the platform sends an application's logs (BIND-18), such as `syslog-tls://logs.example.com:6514`. It
/// has at most 10,000 characters, the limit of Cloud Foundry.
#[derive(Clone)]
pub struct LogDrain(Cow<'static, str>);

impl LogDrain {
    const RULES: Rules = Rules { name: "a log drain URL", schemes: &[], longest: 10_000 };

    /// Creates a log drain from a literal. Assign it to a constant, so that the compiler checks it.
    ///
    /// # Panics
    ///
    /// If the URL is invalid; at compile time in a constant.
    #[track_caller]
    pub const fn from_static(url: &'static str) -> Self {
        Self(Self::RULES.literal(url))
    }

    /// Creates a log drain from a computed URL.
    ///
    /// # Errors
    ///
    /// If the URL is invalid: empty, relative, without a host, longer than 10,000 characters, or with a character that
    /// has to be percent-encoded.
    pub fn new(url: impl Into<String>) -> Result<Self, InvalidUrl> {
        Self::RULES.check(url).map(Self)
    }
}

debug_text!(LogDrain, _ => "LogDrain(..)");

impl BindingOutput for LogDrain {
    const REQUIRES: Requires = Requires { syslog_drain: true, ..Requires::NONE };
    const CREDENTIALS: Option<&'static Schema> = None;
    type Member = member::SyslogDrainUrl;

    fn write(self, fields: &mut Members) -> Result<(), serde_json::Error> {
        fields.insert("syslog_drain_url", self.0.into_owned());
        Ok(())
    }
}

/// A URL through which the platform sends a route's requests (BIND-19). Cloud Foundry on MySQL stores at most 255 characters.
#[derive(Clone)]
pub struct RouteService(Option<Cow<'static, str>>);

impl RouteService {
    const RULES: Rules = Rules { name: "a route service URL", schemes: &["https"], longest: 255 };

    /// Creates a route service from a literal URL, to which the platform sends the requests. Assign the result to a constant,
    /// so that the compiler checks it.
    ///
    /// # Panics
    ///
    /// If the URL is not `https` with a host, or longer than 255 characters; at compile time in a constant.
    #[track_caller]
    pub const fn from_static(url: &'static str) -> Self {
        Self(Some(Self::RULES.literal(url)))
    }

    /// Creates a route service from a computed URL, to which the platform sends the requests.
    ///
    /// # Errors
    ///
    /// If the URL is not `https` with a host, since Cloud Foundry accepts no other, is longer than 255 characters, or has a
    /// character that has to be percent-encoded.
    pub fn proxied(url: impl Into<String>) -> Result<Self, InvalidUrl> {
        Self::RULES.check(url).map(|url| Self(Some(url)))
    }

    /// Creates a route service without a URL, for requests that reach the service without the platform.
    pub fn out_of_band() -> Self {
        Self(None)
    }
}

// Omits the URL, since it may contain a password or a token.
debug_text!(RouteService, Self(url) => "RouteService::{}", if url.is_some() { "proxied(..)" } else { "out_of_band()" });

impl BindingOutput for RouteService {
    const REQUIRES: Requires = Requires { route_forwarding: true, ..Requires::NONE };
    const CREDENTIALS: Option<&'static Schema> = None;
    type Member = member::RouteServiceUrl;

    fn write(self, fields: &mut Members) -> Result<(), serde_json::Error> {
        if let Some(url) = self.0 {
            fields.insert("route_service_url", url.into_owned());
        }
        Ok(())
    }
}

/// Volumes that the platform mounts for an application (BIND-20). An empty list is left out of the answer, for instance
/// for a binding without an application.
#[derive(Debug, Clone)]
pub struct VolumeMounts(pub Vec<VolumeMount>);

/// A volume (BIND-21). Its device type is `shared`, the only one that the specification defines.
#[derive(Clone)]
pub struct VolumeMount {
    /// The name of the driver.
    pub driver: String,
    /// The path in the application's container.
    pub container_dir: String,
    /// `true` if the application can't write to it.
    pub read_only: bool,
    /// The id by which the driver knows the volume.
    pub volume_id: String,
    /// Additional settings for the driver.
    pub mount_config: Map<String, Value>,
}

// Omits `mount_config`, since it may contain passwords.
debug_fields!(VolumeMount { driver, container_dir, read_only, volume_id });

impl BindingOutput for VolumeMounts {
    const REQUIRES: Requires = Requires { volume_mount: true, ..Requires::NONE };
    const CREDENTIALS: Option<&'static Schema> = None;
    type Member = member::VolumeMounts;

    fn write(self, fields: &mut Members) -> Result<(), serde_json::Error> {
        for mount in &self.0 {
            non_empty("the driver of a volume mount", &mount.driver)?;
            non_empty("the directory of a volume mount", &mount.container_dir)?;
            non_empty("the id of a volume", &mount.volume_id)?;
        }
        let mounts = self.0.into_iter().map(|mount| {
            let mut device = json!({ "volume_id": mount.volume_id });
            if !mount.mount_config.is_empty() {
                device["mount_config"] = mount.mount_config.into();
            }
            json!({
                "driver": mount.driver,
                "container_dir": mount.container_dir,
                "mode": if mount.read_only { "r" } else { "rw" },
                "device_type": "shared",
                "device": device,
            })
        });
        insert_some(fields, "volume_mounts", mounts.collect());
        Ok(())
    }
}

/// All network endpoints that the application uses, including those that can't be reached from outside (BIND-22). An
/// empty list is left out of the answer.
#[derive(Debug, Clone)]
pub struct Endpoints(pub Vec<Endpoint>);

/// A network endpoint (BIND-23). A bind fails if its output has an empty host or port 0; the log has the reason.
#[derive(Debug, Clone)]
#[must_use]
pub struct Endpoint {
    host: String,
    ports: Vec<RangeInclusive<u16>>,
    protocol: &'static str,
}

impl Endpoint {
    /// Creates a TCP endpoint at a host name or IP address. The port is 1 or higher.
    pub fn tcp(host: impl Into<String>, port: u16) -> Self {
        Self { host: host.into(), ports: vec![port..=port], protocol: "tcp" }
    }

    /// Creates a UDP endpoint at a host name or IP address. The port is 1 or higher.
    pub fn udp(host: impl Into<String>, port: u16) -> Self {
        Self { protocol: "udp", ..Self::tcp(host, port) }
    }

    /// Creates an endpoint for all protocols at a host name or IP address. The port is 1 or higher.
    pub fn all(host: impl Into<String>, port: u16) -> Self {
        Self { protocol: "all", ..Self::tcp(host, port) }
    }

    /// Adds a port, 1 or higher.
    pub fn port(mut self, port: u16) -> Self {
        self.ports.push(port..=port);
        self
    }

    /// Adds a range of ports, 1 or higher. Both ends are included and may be in either order.
    pub fn ports(mut self, ports: RangeInclusive<u16>) -> Self {
        let (a, b) = ports.into_inner();
        self.ports.push(a.min(b)..=a.max(b));
        self
    }

    fn json(&self) -> Result<Json, serde_json::Error> {
        non_empty("the host of an endpoint", &self.host)?;
        if self.ports.iter().any(|ports| ports.contains(&0)) {
            return Err(serde::ser::Error::custom(format!(
                "the endpoint {} has port 0, which is not a valid port",
                self.host
            )));
        }
        let ports = self.ports.iter().map(|ports| match (ports.start(), ports.end()) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}-{last}"),
        });
        Ok(json!({ "host": self.host.as_str(), "ports": ports.collect::<Vec<_>>(), "protocol": self.protocol }))
    }
}

impl BindingOutput for Endpoints {
    const REQUIRES: Requires = Requires::NONE;
    const CREDENTIALS: Option<&'static Schema> = None;
    type Member = member::Endpoints;

    fn write(self, fields: &mut Members) -> Result<(), serde_json::Error> {
        insert_some(fields, "endpoints", self.0.iter().map(Endpoint::json).collect::<Result<_, _>>()?);
        Ok(())
    }
}

/// Inserts a list unless it is empty.
fn insert_some(fields: &mut Members, name: &str, list: Vec<Json>) {
    if !list.is_empty() {
        fields.insert(name, list);
    }
}

/// Rejects an empty value for a field that platforms require (BIND-18, BIND-21, BIND-23).
fn non_empty(name: &str, text: &str) -> Result<(), serde_json::Error> {
    if text.trim().is_empty() { Err(serde::ser::Error::custom(format!("{name} is empty"))) } else { Ok(()) }
}
