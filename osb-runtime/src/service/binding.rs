//! What a binding gives. The catalog's `requires` follows from the type (T53).

use std::fmt;

use serde_json::{Map, Value, json};

use crate::{
    catalog::Requires,
    schema::{CredentialsSchema, Schema},
};

/// A binding that was made.
#[derive(Debug)]
pub struct Bound<O, S = ()> {
    pub(crate) output: O,
    pub(crate) state: S,
}

impl<O> Bound<O, ()> {
    /// The binding is there, and nothing is to be remembered of it but what it gives.
    pub fn new(output: O) -> Self {
        Self { output, state: () }
    }

    /// What to remember of the binding.
    pub fn state<S>(self, state: S) -> Bound<O, S> {
        Bound { output: self.output, state }
    }
}

/// What a binding can give.
///
/// Implemented by the types of this module and by tuples of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing that a binding can give",
    label = "not a binding's output",
    note = "use `Credentials<T>` with a `#[credentials]` type, `LogDrain`, `RouteService`, `VolumeMounts`, `Endpoints`, or a tuple of them"
)]
pub trait BindingOutput: Send + 'static {
    /// What the platform has to allow for it.
    const REQUIRES: Requires;
    /// What is in the credentials, if there are any.
    const CREDENTIALS: Option<&'static Schema>;
    #[doc(hidden)]
    fn write(self, fields: &mut Map<String, Value>) -> Result<(), serde_json::Error>;
}

/// Credentials: an object of the author's own (BIND-16). They should be of this binding alone.
pub struct Credentials<T>(pub T);

impl<T> fmt::Debug for Credentials<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(..)")
    }
}

impl<T: CredentialsSchema + Send + 'static> BindingOutput for Credentials<T> {
    const REQUIRES: Requires = Requires::NONE;
    const CREDENTIALS: Option<&'static Schema> = Some(&T::SCHEMA);

    fn write(self, fields: &mut Map<String, Value>) -> Result<(), serde_json::Error> {
        fields.insert("credentials".to_owned(), serde_json::to_value(self.0)?);
        Ok(())
    }
}

/// Where the platform is to send an application's logs (BIND-18).
#[derive(Debug, Clone)]
pub struct LogDrain {
    /// The URL, such as `syslog-tls://logs.example.com:6514`.
    pub url: String,
}

impl BindingOutput for LogDrain {
    const REQUIRES: Requires = Requires { syslog_drain: true, ..Requires::NONE };
    const CREDENTIALS: Option<&'static Schema> = None;

    fn write(self, fields: &mut Map<String, Value>) -> Result<(), serde_json::Error> {
        fields.insert("syslog_drain_url".to_owned(), Value::String(self.url));
        Ok(())
    }
}

/// Where the platform is to send a route's requests (BIND-19).
#[derive(Debug, Clone)]
pub struct RouteService(Option<String>);

impl RouteService {
    /// The platform sends requests through this URL.
    ///
    /// # Errors
    ///
    /// If the URL is not `https` with a host: Cloud Foundry takes no other.
    pub fn proxied(url: impl Into<String>) -> Result<Self, NotHttps> {
        let url = url.into();
        let parsed: Result<http::Uri, _> = url.parse();
        match parsed.ok().as_ref().filter(|uri| uri.scheme_str() == Some("https")).and_then(http::Uri::host) {
            Some(host) if !host.is_empty() && !host.starts_with('.') => Ok(Self(Some(url))),
            _ => Err(NotHttps),
        }
    }

    /// Requests get there without the platform's help, so it is told nothing.
    pub fn out_of_band() -> Self {
        Self(None)
    }
}

/// A route service's URL that is not `https` with a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotHttps;

impl fmt::Display for NotHttps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the URL of a route service has to be https with a host")
    }
}

impl std::error::Error for NotHttps {}

impl BindingOutput for RouteService {
    const REQUIRES: Requires = Requires { route_forwarding: true, ..Requires::NONE };
    const CREDENTIALS: Option<&'static Schema> = None;

    fn write(self, fields: &mut Map<String, Value>) -> Result<(), serde_json::Error> {
        if let Some(url) = self.0 {
            fields.insert("route_service_url".to_owned(), Value::String(url));
        }
        Ok(())
    }
}

/// Volumes that the platform is to mount for an application (BIND-20).
#[derive(Debug, Clone)]
pub struct VolumeMounts(pub Vec<VolumeMount>);

/// One volume (BIND-21). It is shared: the specification knows no other kind.
#[derive(Debug, Clone)]
pub struct VolumeMount {
    /// The driver's name.
    pub driver: String,
    /// Where the application finds it.
    pub container_dir: String,
    /// Whether the application may only read it.
    pub read_only: bool,
    /// The volume's id, for the driver.
    pub volume_id: String,
    /// More for the driver.
    pub mount_config: Map<String, Value>,
}

impl BindingOutput for VolumeMounts {
    const REQUIRES: Requires = Requires { volume_mount: true, ..Requires::NONE };
    const CREDENTIALS: Option<&'static Schema> = None;

    fn write(self, fields: &mut Map<String, Value>) -> Result<(), serde_json::Error> {
        let mounts = self.0.into_iter().map(|mount| {
            let mut device = json!({ "volume_id": mount.volume_id });
            if !mount.mount_config.is_empty() {
                device["mount_config"] = Value::Object(mount.mount_config);
            }
            json!({
                "driver": mount.driver,
                "container_dir": mount.container_dir,
                "mode": if mount.read_only { "r" } else { "rw" },
                "device_type": "shared",
                "device": device,
            })
        });
        fields.insert("volume_mounts".to_owned(), mounts.collect());
        Ok(())
    }
}

/// All network endpoints that the application uses, also those that cannot be reached from outside (BIND-22).
#[derive(Debug, Clone)]
pub struct Endpoints(pub Vec<Endpoint>);

/// One network endpoint (BIND-23).
#[derive(Debug, Clone)]
pub struct Endpoint {
    host: String,
    ports: Vec<String>,
    protocol: &'static str,
}

impl Endpoint {
    /// TCP at a host name or IP address.
    pub fn tcp(host: impl Into<String>, port: u16) -> Self {
        Self { host: host.into(), ports: vec![port.to_string()], protocol: "tcp" }
    }

    /// UDP at a host name or IP address.
    pub fn udp(host: impl Into<String>, port: u16) -> Self {
        Self { protocol: "udp", ..Self::tcp(host, port) }
    }

    /// Another port.
    pub fn port(mut self, port: u16) -> Self {
        self.ports.push(port.to_string());
        self
    }

    /// A range of ports, both ends included.
    pub fn ports(mut self, ports: std::ops::RangeInclusive<u16>) -> Self {
        self.ports.push(format!("{}-{}", ports.start(), ports.end()));
        self
    }
}

impl BindingOutput for Endpoints {
    const REQUIRES: Requires = Requires::NONE;
    const CREDENTIALS: Option<&'static Schema> = None;

    fn write(self, fields: &mut Map<String, Value>) -> Result<(), serde_json::Error> {
        let endpoints = self.0.into_iter().map(|e| json!({ "host": e.host, "ports": e.ports, "protocol": e.protocol }));
        fields.insert("endpoints".to_owned(), endpoints.collect());
        Ok(())
    }
}

/// The first of two, in a constant.
const fn either(a: Option<&'static Schema>, b: Option<&'static Schema>) -> Option<&'static Schema> {
    if a.is_some() { a } else { b }
}

macro_rules! tuples {
    ($(($first:ident $(, $more:ident)+))*) => {$(
        impl<$first: BindingOutput, $($more: BindingOutput),+> BindingOutput for ($first, $($more),+) {
            const REQUIRES: Requires = $first::REQUIRES$(.or($more::REQUIRES))+;
            const CREDENTIALS: Option<&'static Schema> = {
                let found = $first::CREDENTIALS;
                $(let found = either(found, $more::CREDENTIALS);)+
                found
            };

            #[expect(non_snake_case, reason = "the type parameters name the elements")]
            fn write(self, fields: &mut Map<String, Value>) -> Result<(), serde_json::Error> {
                let ($first, $($more),+) = self;
                $first.write(fields)?;
                $($more.write(fields)?;)+
                Ok(())
            }
        }
    )*};
}

tuples! { (A, B) (A, B, C) (A, B, C, D) (A, B, C, D, E) }

#[cfg(test)]
mod tests {
    use super::RouteService;

    #[test]
    fn a_route_service_is_one_that_platforms_take() {
        for url in ["https://a.example.com", "https://a:8443/x?y=z", "https://10.0.0.1/"] {
            assert!(RouteService::proxied(url).is_ok(), "{url}");
        }
        // Cloud Foundry unbinds when it cannot read the URL.
        for url in
            ["http://a", "https://", "https:///x", "https://.a", "https://:1", "https://a b", "https://@", "a", ""]
        {
            assert!(RouteService::proxied(url).is_err(), "{url}");
        }
    }
}
