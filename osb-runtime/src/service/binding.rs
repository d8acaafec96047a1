//! The output of a binding. Its type determines `requires` in the catalog (T53).

use std::{error::Error, time::SystemTime};

use crate::{catalog::Requires, json::Members, protocol::debug_fields, schema::Schema};

mod outputs;

pub(crate) use osb_catalog::timestamp::read_timestamp;
pub use osb_catalog::timestamp::timestamp;
pub use outputs::{Credentials, Endpoint, Endpoints, LogDrain, RouteService, VolumeMount, VolumeMounts};

/// The result of a successful [`bind`](super::Bind::bind).
#[must_use]
pub struct Bound<O, S = ()> {
    pub(crate) output: O,
    pub(crate) state: S,
    expires_at: Option<SystemTime>,
    renew_before: Option<SystemTime>,
}

// Omits the output and the state, since they may contain secrets (T68).
debug_fields!(Bound<O, S> { expires_at, renew_before });

impl<O, S> Bound<O, S> {
    /// Reports that the binding exists, with the output for the platform. The runtime stores `state`, which is `()` if
    /// there is none, for later operations.
    pub fn new(output: O, state: S) -> Self {
        Self { output, state, expires_at: None, renew_before: None }
    }

    /// Sets the time at which the binding stops working (BIND-24). The application needs a new binding by then, so the
    /// plan should be `rotatable`.
    pub fn expires_at(mut self, time: SystemTime) -> Self {
        self.expires_at = Some(time);
        self
    }

    /// Sets the time by which the platform should rotate the binding. The bind fails if there is no
    /// [`expires_at`](Self::expires_at), or if that is earlier.
    pub fn renew_before(mut self, time: SystemTime) -> Self {
        self.renew_before = Some(time);
        self
    }

    /// Returns the `metadata` of the answer (BIND-25).
    fn times(&self) -> Result<Option<Members>, Box<dyn Error + Send + Sync>> {
        match (self.expires_at, self.renew_before) {
            (None, Some(_)) => return Err("`renew_before` needs `expires_at`".into()),
            (Some(expires), Some(renew)) if renew > expires => {
                return Err("`renew_before` is later than `expires_at`".into());
            }
            _ => {}
        }
        let mut metadata = Members::default();
        for (name, time) in [("expires_at", self.expires_at), ("renew_before", self.renew_before)] {
            if let Some(time) = time {
                let text = timestamp(time).ok_or_else(|| format!("`{name}` is not between the years 1970 and 9999"))?;
                metadata.insert(name, text);
            }
        }
        Ok((!metadata.is_empty()).then_some(metadata))
    }
}

impl<O> From<O> for Bound<O> {
    fn from(output: O) -> Self {
        Self::new(output, ())
    }
}

impl<O: BindingOutput, S> Bound<O, S> {
    #[doc(hidden)]
    pub fn write(self, fields: &mut Members) -> Result<(), Box<dyn Error + Send + Sync>> {
        if let Some(metadata) = self.times()? {
            fields.insert("metadata", metadata);
        }
        self.output
            .write(fields)
            .map_err(|error| format!("the binding's output can't be written as JSON: {error}").into())
    }
}

/// The output of a binding.
///
/// Implemented by the types of this module and by tuples of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a valid output of a binding",
    label = "not a binding's output",
    note = "if `{Self}` is a type with `#[credentials]`, write `Credentials<{Self}>`; the others are `LogDrain`, `RouteService`, `VolumeMounts`, `Endpoints`, and tuples of them",
    note = "no output is optional, only a field of the credentials can be: a plan whose bindings have none of these is not `bindable`"
)]
pub trait BindingOutput: Send + 'static {
    /// The permissions that the platform has to grant.
    const REQUIRES: Requires;
    /// The schema of the credentials, if there are any.
    const CREDENTIALS: Option<&'static Schema>;
    /// The member of the answer that the output writes.
    #[doc(hidden)]
    type Member;
    #[doc(hidden)]
    fn write(self, fields: &mut Members) -> Result<(), serde_json::Error>;
}

/// `Option::or` for constants.
const fn either(a: Option<&'static Schema>, b: Option<&'static Schema>) -> Option<&'static Schema> {
    if a.is_some() { a } else { b }
}

/// The members of the answer, as types.
mod member {
    pub enum Credentials {}
    pub enum SyslogDrainUrl {}
    pub enum RouteServiceUrl {}
    pub enum VolumeMounts {}
    pub enum Endpoints {}
    /// The members of a tuple, which is not part of another tuple.
    pub enum Several {}
}

/// Two members that are not the same, so neither output overwrites the other.
#[diagnostic::on_unimplemented(
    message = "two outputs of this binding write the same member of the answer, so one would overwrite the other",
    label = "the same output twice",
    note = "an answer has one `credentials`, `syslog_drain_url`, `route_service_url`, `volume_mounts` and `endpoints`: put all credentials into one type, all volumes into one `VolumeMounts`, and all endpoints into one `Endpoints`"
)]
pub trait Distinct<Other> {}

/// The member of one output, which can be in a tuple.
#[diagnostic::on_unimplemented(
    message = "a tuple of outputs has a tuple in it",
    label = "a tuple within a tuple",
    note = "put all outputs into one tuple: `(Credentials<Access>, LogDrain, Endpoints)`"
)]
pub trait Single {}

macro_rules! distinct {
    ($($one:ident: $($other:ident)+;)*) => {
        $(impl Single for member::$one {})*
        $($(
            #[diagnostic::do_not_recommend] // the list of them does not help
            impl Distinct<member::$other> for member::$one {}
        )+)*
    };
}

#[diagnostic::do_not_recommend] // `Single` reports a tuple within a tuple
impl<Other> Distinct<Other> for member::Several {}

distinct! {
    Credentials: SyslogDrainUrl RouteServiceUrl VolumeMounts Endpoints Several;
    SyslogDrainUrl: Credentials RouteServiceUrl VolumeMounts Endpoints Several;
    RouteServiceUrl: Credentials SyslogDrainUrl VolumeMounts Endpoints Several;
    VolumeMounts: Credentials SyslogDrainUrl RouteServiceUrl Endpoints Several;
    Endpoints: Credentials SyslogDrainUrl RouteServiceUrl VolumeMounts Several;
}

macro_rules! tuples {
    ($(($first:ident $(, $more:ident: $($earlier:ident)+)+))*) => {$(
        impl<$first: BindingOutput, $($more: BindingOutput),+> BindingOutput for ($first, $($more),+)
        where
            $first::Member: Single,
            $($more::Member: Single, $($more::Member: Distinct<$earlier::Member>,)+)+
        {
            const REQUIRES: Requires = $first::REQUIRES$(.or($more::REQUIRES))+;
            const CREDENTIALS: Option<&'static Schema> = {
                let found = $first::CREDENTIALS;
                $(let found = either(found, $more::CREDENTIALS);)+
                found
            };
            type Member = member::Several;

            #[expect(non_snake_case, reason = "the type parameters name the elements")]
            fn write(self, fields: &mut Members) -> Result<(), serde_json::Error> {
                let ($first, $($more),+) = self;
                $first.write(fields)?;
                $($more.write(fields)?;)+
                Ok(())
            }
        }
    )*};
}

tuples! {
    (A, B: A)
    (A, B: A, C: A B)
    (A, B: A, C: A B, D: A B C)
    (A, B: A, C: A B, D: A B C, E: A B C D)
}

#[cfg(test)]
#[path = "../../tests/unit/binding.rs"]
mod tests;
