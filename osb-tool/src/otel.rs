//! Spans for an OpenTelemetry collector, by OTLP over HTTP, as JSON.
//!
//! Hand-written because the crates of OpenTelemetry would bring a hundred others, and this is one request.

use std::{
    collections::BTreeMap,
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use clap::Args;
use http::{HeaderName, HeaderValue, Method};
use osb_client::{Call, Client, ClientError, Payload};
use osb_runtime::protocol::headers::VERSION;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use tracing::{
    Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};

use super::{Failure, Secret};

/// Number of spans that wait for the collector; further ones are dropped.
const WAITING: usize = 4096;

/// Number of spans in a request.
const BATCH: usize = 512;

/// Time after which a smaller batch is sent.
const PAUSE: Duration = Duration::from_secs(1);

/// Time for the last batch at the end of the program.
const PATIENCE: Duration = Duration::from_secs(5);

/// The thread that sends spans; its own are not sent, because they would never end.
const THREAD: &str = "otlp";

#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Log")]
pub(super) struct OtelArgs {
    /// URL of an OpenTelemetry collector, such as http://localhost:4318, that gets the spans of requests and handlers by
    /// OTLP/HTTP [default: none]
    #[arg(id = "osb_otlp_endpoint", long = "otlp-endpoint", value_name = "URL", env = "OTEL_EXPORTER_OTLP_ENDPOINT")]
    endpoint: Option<String>,

    /// Headers of the requests to the collector, such as its credentials; values are percent-encoded
    #[arg(
        id = "osb_otlp_headers",
        long = "otlp-headers",
        value_name = "NAME=VALUE,...",
        env = "OTEL_EXPORTER_OTLP_HEADERS"
    )]
    headers: Option<Secret>,

    /// Name of the service in its spans [default: the name of the program]
    #[arg(id = "osb_otlp_service", long = "otlp-service", value_name = "NAME", env = "OTEL_SERVICE_NAME")]
    service: Option<String>,

    /// Attributes of all spans, such as deployment.environment.name=test; values are percent-encoded
    #[arg(
        id = "osb_otlp_attributes",
        long = "otlp-attributes",
        value_name = "NAME=VALUE,...",
        env = "OTEL_RESOURCE_ATTRIBUTES"
    )]
    attributes: Option<String>,
}

/// A message to the thread that sends spans.
enum Message {
    Span(Value),
    /// Flushes pending spans, and answers.
    Flush(SyncSender<()>),
}

/// Sends spans to a collector.
#[derive(Clone)]
pub(super) struct Exporter(SyncSender<Message>);

impl OtelArgs {
    pub(super) fn has_collector(&self) -> bool {
        self.endpoint.is_some()
    }

    /// Starts to send spans of this version of the program, if there is a collector.
    pub(super) fn start(&self, version: &str) -> Result<Option<Exporter>, Failure> {
        let Some(endpoint) = &self.endpoint else { return Ok(None) };
        let client = Client::new(endpoint).map_err(|error| {
            // The client's example is a broker.
            let why = error.to_string().replace("https://broker.example.com", "http://localhost:4318");
            Failure::Usage(format!("--otlp-endpoint: {why}"))
        })?;
        let mut client = client.header(&VERSION, None).timeout(PATIENCE);
        for (number, (name, value)) in (1..).zip(pairs("--otlp-headers", self.headers.as_ref().map(Secret::expose))?) {
            let header = HeaderName::try_from(name).ok().filter(|_| HeaderValue::try_from(&value).is_ok());
            let header = header.ok_or_else(|| Failure::Usage(format!("--otlp-headers: header {number} is invalid")))?;
            client = client.header(&header, Some(&value));
        }
        let resource = self.resource(version)?;
        let (send, received) = sync_channel(WAITING);
        let sending =
            thread::Builder::new().name(THREAD.to_owned()).spawn(move || send_all(&received, &client, &resource));
        sending.map_err(|error| Failure::Broken(format!("spans can't be sent: {error}")))?;
        Ok(Some(Exporter(send)))
    }

    /// Returns the attributes of the program. The option wins over the name of the service among the attributes, and they win
    /// over the version.
    fn resource(&self, version: &str) -> Result<Vec<Value>, Failure> {
        let mut attributes: BTreeMap<_, _> =
            pairs("--otlp-attributes", self.attributes.as_deref())?.into_iter().collect();
        let named = attributes.remove("service.name");
        let service = self.service.clone().or(named).unwrap_or_else(super::cli::program);
        attributes.insert("service.name".to_owned(), service);
        if !version.is_empty() {
            attributes.entry("service.version".to_owned()).or_insert_with(|| version.to_owned());
        }
        Ok(attributes.iter().map(|(name, value)| attribute(name, value)).collect())
    }
}

/// Parses a list as the standard variables of OpenTelemetry have it. Messages don't show the values, which may be secret.
fn pairs(option: &str, list: Option<&str>) -> Result<Vec<(String, String)>, Failure> {
    let pairs = list.unwrap_or_default().split(',').map(str::trim).filter(|pair| !pair.is_empty());
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').filter(|(name, _)| !name.trim().is_empty())?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        Some((name.trim().to_owned(), value.into_owned()))
    };
    let wrong =
        |number: usize| Failure::Usage(format!("{option}: pair {number} is invalid; write NAME=VALUE,NAME=VALUE"));
    (1..).zip(pairs).map(|(number, text)| pair(text).ok_or_else(|| wrong(number))).collect()
}

impl Exporter {
    /// Flushes pending spans.
    pub(super) fn flush(&self) {
        let (send, done) = sync_channel(1);
        if self.0.try_send(Message::Flush(send)).is_ok() {
            let _ = done.recv_timeout(PATIENCE);
        }
    }
}

fn send_all(received: &Receiver<Message>, client: &Client, resource: &[Value]) {
    let (mut batch, mut since, mut has_failed) = (Vec::new(), Instant::now(), false);
    loop {
        let message = match received.recv_timeout(PAUSE) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let mut flushed = None;
        match message {
            Some(Message::Span(span)) => batch.push(span),
            Some(Message::Flush(done)) => flushed = Some(done),
            None => {}
        }
        if !batch.is_empty() && (batch.len() >= BATCH || flushed.is_some() || since.elapsed() >= PAUSE) {
            let failed = send(client, resource, std::mem::take(&mut batch)).err();
            // Logged once per outage.
            if let Some(why) = failed.as_ref().filter(|_| !has_failed) {
                tracing::warn!("the collector of --otlp-endpoint gets no spans: {why}");
            }
            (has_failed, since) = (failed.is_some(), Instant::now());
        }
        if let Some(done) = flushed {
            let _ = done.send(());
        }
    }
}

fn send(client: &Client, resource: &[Value], spans: Vec<Value>) -> Result<(), String> {
    let text = json!({ "resourceSpans": [{
        "resource": { "attributes": resource },
        "scopeSpans": [{
            "scope": { "name": "osb-runtime", "version": env!("CARGO_PKG_VERSION") },
            "spans": spans,
        }],
    }] });
    let payload = Payload::Text(text.to_string());
    let call = Call { method: Method::POST, path: "/v1/traces".to_owned(), query: Vec::new(), payload };
    match super::blocking(client.send(&call)) {
        Err(failure) => Err(failure.to_string()),
        // Its message is about a broker.
        Ok(Err(ClientError::TimedOut { url, after })) => Err(format!("{url} did not respond within {after:?}")),
        Ok(Err(error)) => Err(error.to_string()),
        Ok(Ok(answer)) if !answer.status.is_success() => Err(format!("{} {}", answer.status, answer.excerpt())),
        Ok(Ok(_)) => Ok(()),
    }
}

fn attribute(name: &str, value: &str) -> Value {
    json!({ "key": name, "value": { "stringValue": value } })
}

/// A span that is open.
struct Open {
    trace: String,
    id: String,
    parent: Option<String>,
    is_sampled: bool,
    began: SystemTime,
    fields: Fields,
}

/// The fields of a span.
#[derive(Default)]
struct Fields {
    trace: Option<String>,
    /// The id of the span itself, which its handlers already have as their parent.
    id: Option<String>,
    parent: Option<String>,
    is_sampled: Option<bool>,
    method: Option<String>,
    route: Option<String>,
    status: Option<u64>,
    is_error: bool,
    attributes: Vec<Value>,
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "trace_id" => self.trace = Some(value.to_owned()),
            "span_id" => self.id = Some(value.to_owned()),
            "parent_span_id" => self.parent = Some(value.to_owned()),
            "otel.status_code" => self.is_error = value == "ERROR",
            "method" => self.method = Some(value.to_owned()),
            "route" => self.route = Some(value.to_owned()),
            name => self.attributes.push(attribute(name, value)),
        }
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        match field.name() {
            "sampled" => self.is_sampled = Some(value),
            name => self.attributes.push(attribute(name, &value.to_string())),
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "status" => self.status = Some(value),
            name => self.attributes.push(attribute(name, &value.to_string())),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

/// Returns a random id. Ids must be unique but need not be secret; `None` if the system has no random numbers.
fn random<const N: usize>() -> Option<String> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn nanoseconds(time: SystemTime) -> String {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Exporter {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id).filter(|_| thread::current().name() != Some(THREAD)) else { return };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let outer = span.parent().and_then(|parent| {
            let extensions = parent.extensions();
            let outer = extensions.get::<Open>()?;
            Some((outer.trace.clone(), outer.id.clone(), outer.is_sampled))
        });
        // The sender of a request decides for its trace whether it is recorded.
        let is_sampled = fields.is_sampled.or(outer.as_ref().map(|(_, _, is_sampled)| *is_sampled)).unwrap_or(true);
        let (trace, parent) = match (fields.trace.take(), outer) {
            // That of the header, unless another span of this program is around it.
            (Some(trace), Some((outer, id, _))) if trace == outer => (trace, Some(id)),
            (Some(trace), _) => (trace, fields.parent.take()),
            (None, Some((trace, id, _))) => (trace, Some(id)),
            (None, None) => {
                let Some(trace) = random::<16>() else { return };
                (trace, None)
            }
        };
        let Some(id) = fields.id.take().or_else(random::<8>) else { return };
        let open = Open { trace, id, parent, is_sampled, began: SystemTime::now(), fields };
        span.extensions_mut().insert(open);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<Open>() {
            values.record(&mut open.fields);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(open) = span.extensions_mut().remove::<Open>().filter(|open| open.is_sampled) else { return };
        let Fields { method, route, status, is_error, mut attributes, .. } = open.fields;
        // As the semantic conventions for HTTP name them.
        let name = match (&method, &route) {
            (Some(method), Some(route)) => format!("{method} {route}"),
            _ => span.name().to_owned(),
        };
        let texts = [("http.request.method", method), ("http.route", route)];
        attributes.extend(texts.into_iter().filter_map(|(name, text)| Some(attribute(name, &text?))));
        if let Some(status) = status {
            let value = json!({ "intValue": status.to_string() });
            attributes.push(json!({ "key": "http.response.status_code", "value": value }));
        }
        let mut sent = json!({
            "traceId": open.trace,
            "spanId": open.id,
            "name": name,
            // A request is one to this server, the rest is internal.
            "kind": if span.name() == "request" { 2 } else { 1 },
            "startTimeUnixNano": nanoseconds(open.began),
            "endTimeUnixNano": nanoseconds(SystemTime::now()),
            "attributes": attributes,
        });
        if is_error || status.is_some_and(|status| status >= 500) {
            sent["status"] = json!({ "code": 2 });
        }
        if let Some(parent) = open.parent {
            sent["parentSpanId"] = parent.into();
        }
        // An unreachable collector costs spans, not requests.
        let _ = self.0.try_send(Message::Span(sent));
    }
}
