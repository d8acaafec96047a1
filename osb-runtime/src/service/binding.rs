//! What a binding gives. The catalog's `requires` follows from the type (T53).

use std::{error::Error, fmt, ops::RangeInclusive, time::SystemTime};

use serde_json::{Map, Value, json};

use crate::{
    catalog::Requires,
    schema::{CredentialsSchema, Schema},
};

mod timestamp;

pub(crate) use timestamp::timestamp;

/// A binding that was made.
#[derive(Debug)]
pub struct Bound<O, S = ()> {
    pub(crate) output: O,
    pub(crate) state: S,
    expires_at: Option<SystemTime>,
    renew_before: Option<SystemTime>,
}

impl<O> Bound<O, ()> {
    /// The binding is there, and nothing is to be remembered of it but what it gives.
    pub fn new(output: O) -> Self {
        Self { output, state: (), expires_at: None, renew_before: None }
    }

    /// What to remember of the binding.
    pub fn state<S>(self, state: S) -> Bound<O, S> {
        Bound { output: self.output, state, expires_at: self.expires_at, renew_before: self.renew_before }
    }
}

impl<O, S> Bound<O, S> {
    /// When the binding stops working by itself (BIND-24). Whoever uses it needs another one by then, so the plan had
    /// better be `rotatable`.
    pub fn expires_at(mut self, time: SystemTime) -> Self {
        self.expires_at = Some(time);
        self
    }

    /// From when on another binding should succeed this one, some time before it [expires](Self::expires_at). Without
    /// that, or after it, the bind fails.
    pub fn renew_before(mut self, time: SystemTime) -> Self {
        self.renew_before = Some(time);
        self
    }

    /// `metadata`, if there is any (BIND-25).
    fn metadata(&self) -> Result<Option<Map<String, Value>>, Box<dyn Error + Send + Sync>> {
        match (self.expires_at, self.renew_before) {
            (None, Some(_)) => return Err("`renew_before` goes with `expires_at`".into()),
            (Some(expires), Some(renew)) if renew > expires => {
                return Err("`renew_before` is later than `expires_at`".into());
            }
            _ => {}
        }
        let mut metadata = Map::new();
        for (name, time) in [("expires_at", self.expires_at), ("renew_before", self.renew_before)] {
            if let Some(time) = time {
                let text = timestamp(time).ok_or_else(|| format!("`{name}` is not between the years 1970 and 9999"))?;
                metadata.insert(name.to_owned(), Value::String(text));
            }
        }
        Ok((!metadata.is_empty()).then_some(metadata))
    }
}

impl<O: BindingOutput, S> Bound<O, S> {
    #[doc(hidden)]
    pub fn write(self, fields: &mut Map<String, Value>) -> Result<(), Box<dyn Error + Send + Sync>> {
        if let Some(metadata) = self.metadata()? {
            fields.insert("metadata".to_owned(), Value::Object(metadata));
        }
        self.output
            .write(fields)
            .map_err(|error| format!("what the binding gives cannot be written as JSON: {error}").into())
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
#[derive(Clone)]
pub struct LogDrain {
    /// The URL, such as `syslog-tls://logs.example.com:6514`.
    pub url: String,
}

/// Without the URL: a token in it lets anybody write.
impl fmt::Debug for LogDrain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LogDrain(..)")
    }
}

impl BindingOutput for LogDrain {
    const REQUIRES: Requires = Requires { syslog_drain: true, ..Requires::NONE };
    const CREDENTIALS: Option<&'static Schema> = None;

    fn write(self, fields: &mut Map<String, Value>) -> Result<(), serde_json::Error> {
        filled("the URL of a log drain", &self.url)?;
        fields.insert("syslog_drain_url".to_owned(), Value::String(self.url));
        Ok(())
    }
}

/// Where the platform is to send a route's requests (BIND-19).
#[derive(Clone)]
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

impl Error for NotHttps {}

/// Without the URL, which may have a password or a token in it.
impl fmt::Debug for RouteService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "RouteService::proxied(..)" } else { "RouteService::out_of_band()" })
    }
}

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

/// Volumes that the platform is to mount for an application (BIND-20). If there are none, as for a binding without an
/// application, the answer does not mention them.
#[derive(Debug, Clone)]
pub struct VolumeMounts(pub Vec<VolumeMount>);

/// One volume (BIND-21). It is shared: the specification knows no other kind.
#[derive(Clone)]
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

/// Without `mount_config`, where drivers find their passwords.
impl fmt::Debug for VolumeMount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VolumeMount")
            .field("driver", &self.driver)
            .field("container_dir", &self.container_dir)
            .field("read_only", &self.read_only)
            .field("volume_id", &self.volume_id)
            .finish_non_exhaustive()
    }
}

impl BindingOutput for VolumeMounts {
    const REQUIRES: Requires = Requires { volume_mount: true, ..Requires::NONE };
    const CREDENTIALS: Option<&'static Schema> = None;

    fn write(self, fields: &mut Map<String, Value>) -> Result<(), serde_json::Error> {
        for mount in &self.0 {
            filled("the driver of a volume mount", &mount.driver)?;
            filled("the directory of a volume mount", &mount.container_dir)?;
            filled("the id of a volume", &mount.volume_id)?;
        }
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
        insert_some(fields, "volume_mounts", mounts.collect());
        Ok(())
    }
}

/// All network endpoints that the application uses, also those that cannot be reached from outside (BIND-22). If there
/// are none, the answer does not mention them.
#[derive(Debug, Clone)]
pub struct Endpoints(pub Vec<Endpoint>);

/// One network endpoint (BIND-23). A bind that gives one with an empty host or with port 0 fails, and the log says why.
#[derive(Debug, Clone)]
pub struct Endpoint {
    host: String,
    ports: Vec<RangeInclusive<u16>>,
    protocol: &'static str,
}

impl Endpoint {
    /// TCP at a host name or IP address, and a port from 1 on.
    pub fn tcp(host: impl Into<String>, port: u16) -> Self {
        Self { host: host.into(), ports: vec![port..=port], protocol: "tcp" }
    }

    /// UDP at a host name or IP address, and a port from 1 on.
    pub fn udp(host: impl Into<String>, port: u16) -> Self {
        Self { protocol: "udp", ..Self::tcp(host, port) }
    }

    /// Both TCP and UDP, and whatever else there is, at a host name or IP address, and a port from 1 on.
    pub fn all(host: impl Into<String>, port: u16) -> Self {
        Self { protocol: "all", ..Self::tcp(host, port) }
    }

    /// Another port, from 1 on.
    pub fn port(mut self, port: u16) -> Self {
        self.ports.push(port..=port);
        self
    }

    /// A range of ports from 1 on, both ends included, whichever is given first.
    pub fn ports(mut self, ports: RangeInclusive<u16>) -> Self {
        let (one, other) = ports.into_inner();
        self.ports.push(one.min(other)..=one.max(other));
        self
    }

    fn json(&self) -> Result<Value, serde_json::Error> {
        filled("the host of an endpoint", &self.host)?;
        if self.ports.iter().any(|ports| ports.contains(&0)) {
            return Err(serde::ser::Error::custom(format!(
                "the endpoint {} has port 0, where nothing listens",
                self.host
            )));
        }
        let ports = self.ports.iter().map(|ports| match (ports.start(), ports.end()) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}-{last}"),
        });
        Ok(json!({ "host": self.host, "ports": ports.collect::<Vec<_>>(), "protocol": self.protocol }))
    }
}

impl BindingOutput for Endpoints {
    const REQUIRES: Requires = Requires::NONE;
    const CREDENTIALS: Option<&'static Schema> = None;

    fn write(self, fields: &mut Map<String, Value>) -> Result<(), serde_json::Error> {
        insert_some(fields, "endpoints", self.0.iter().map(Endpoint::json).collect::<Result<_, _>>()?);
        Ok(())
    }
}

/// A list without anything says nothing, and what says nothing is left out.
fn insert_some(fields: &mut Map<String, Value>, name: &str, list: Vec<Value>) {
    if !list.is_empty() {
        fields.insert(name.to_owned(), Value::Array(list));
    }
}

/// What platforms need something in (BIND-18, BIND-21, BIND-23).
fn filled(what: &str, text: &str) -> Result<(), serde_json::Error> {
    if text.trim().is_empty() { Err(serde::ser::Error::custom(format!("{what} is empty"))) } else { Ok(()) }
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
    use std::{
        ops::RangeInclusive,
        time::{Duration, SystemTime},
    };

    use serde_json::{Map, Value, json};

    use super::{
        BindingOutput, Bound, Credentials, Endpoint, Endpoints, LogDrain, RouteService, VolumeMount, VolumeMounts,
    };

    #[test]
    fn what_platforms_need_something_in_is_not_empty() {
        let written = |output: Endpoints| {
            let mut fields = Map::new();
            output.write(&mut fields).map(|()| Value::Object(fields))
        };
        let range =
            |first, last| written(Endpoints(vec![Endpoint::all("h", 1).ports(RangeInclusive::new(first, last))]));
        for (first, last, expected) in [(9000, 9010, "9000-9010"), (9010, 9000, "9000-9010"), (7, 7, "7")] {
            let endpoint = json!({ "host": "h", "ports": ["1", expected], "protocol": "all" });
            assert_eq!(range(first, last).unwrap()["endpoints"], json!([endpoint]), "BIND-23");
        }
        assert!(written(Endpoints(vec![Endpoint::tcp(" ", 1)])).is_err(), "BIND-23");
        for none in [Endpoint::tcp("h", 0), Endpoint::udp("h", 1).port(0), Endpoint::all("h", 1).ports(0..=9)] {
            let error = written(Endpoints(vec![none])).expect_err("BIND-23: no port").to_string();
            assert!(error.contains("the endpoint h has port 0"), "{error}");
        }
        assert!(LogDrain { url: String::new() }.write(&mut Map::new()).is_err(), "BIND-18");
    }

    #[test]
    fn lists_that_are_empty_are_left_out() {
        let mut fields = Map::new();
        (VolumeMounts(Vec::new()), Endpoints(Vec::new())).write(&mut fields).expect("nothing is wrong");
        assert!(fields.is_empty(), "BIND-20, BIND-22: {fields:?}");
    }

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

    #[test]
    fn no_secret_is_shown_to_whoever_debugs() {
        let mount_config = json!({ "password": "hunter2" });
        let mount = VolumeMount {
            driver: "nfs".to_owned(),
            container_dir: "/data".to_owned(),
            read_only: true,
            volume_id: "v1".to_owned(),
            mount_config: mount_config.as_object().expect("an object").clone(),
        };
        let route = RouteService::proxied("https://user:hunter2@example.com").expect("it is https");
        let drain = LogDrain { url: "https://logs.example.com/?token=hunter2".to_owned() };
        let bound = Bound::new((Credentials("hunter2"), drain, route, VolumeMounts(vec![mount])));
        let shown = format!("{bound:?}");
        assert!(!shown.contains("hunter2"), "{shown}");
        assert!(shown.contains("nfs") && shown.contains("/data"), "{shown}");
    }

    fn written(bound: Bound<Endpoints>) -> Result<Value, String> {
        let mut fields = Map::new();
        bound.write(&mut fields).map_err(|error| error.to_string())?;
        Ok(Value::Object(fields))
    }

    #[test]
    fn metadata_says_how_long_a_binding_lasts() {
        let bound = || Bound::new(Endpoints(Vec::new()));
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(written(bound()), Ok(json!({})));
        assert_eq!(
            written(bound().expires_at(at(86_400)).state(())),
            Ok(json!({ "metadata": { "expires_at": "1970-01-02T00:00:00.0Z" } }))
        );
        let both = json!({ "expires_at": "1970-01-02T00:00:00.0Z", "renew_before": "1970-01-01T12:00:00.0Z" });
        assert_eq!(
            written(bound().renew_before(at(43_200)).expires_at(at(86_400))).map(|fields| fields["metadata"].clone()),
            Ok(both)
        );
        assert!(written(bound().expires_at(at(1)).renew_before(at(1))).is_ok(), "no later than");
        for (wrong, why) in [
            (bound().renew_before(at(1)), "goes with"),
            (bound().expires_at(at(1)).renew_before(at(2)), "later"),
            (bound().expires_at(at(253_402_300_800)), "9999"),
        ] {
            let error = written(wrong).expect_err("a mistake");
            assert!(error.contains(why), "{error}");
        }
    }
}
