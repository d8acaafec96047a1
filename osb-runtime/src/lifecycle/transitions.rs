//! The meaning of each request in each phase, as tables that the lifecycle and its tests share.

pub use crate::store::Phase;

/// A kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestKind {
    /// `PUT` with the attributes of the instance or binding that has this id.
    PutSame,
    /// `PUT` with other attributes.
    PutOther,
    /// `GET`.
    Get,
    /// `PATCH` equal to the one whose update is running.
    PatchSame,
    /// Any other `PATCH`.
    Patch,
    /// `DELETE`.
    Delete,
    /// `GET …/last_operation`.
    Poll,
    /// `PUT` of a binding that does not exist yet, as its instance sees it.
    Bind,
}

impl RequestKind {
    /// All kinds, in the order of the tables' rows.
    pub const ALL: [Self; 8] =
        [Self::PutSame, Self::PutOther, Self::Get, Self::PatchSame, Self::Patch, Self::Delete, Self::Poll, Self::Bind];
}

/// The reaction to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Transition {
    /// Start an operation and call a handler, if the request is valid.
    Run,
    /// Answer with the result or the id of the running operation.
    Join,
    /// Cancel the running create, and remove its resources (DEP-06, UNB-05).
    Cancel,
    /// 200: the instance or binding exists with the same attributes (PROV-11, BIND-08).
    Exists,
    /// 200 with the instance or binding.
    Show,
    /// The state of the newest operation: 200, or 410 if a deletion has succeeded (LOI-03, LOI-07).
    Report,
    /// 409: an instance or binding with this id exists with different attributes, or its creation failed (PROV-14, BIND-11).
    Conflict,
    /// 404.
    NotFound,
    /// 410: the instance or binding does not exist.
    Gone,
    /// 422 `ConcurrencyError` (BLK-02).
    Busy,
    /// The deletion has failed, and has to be repeated before anything else: 409 for a `PUT`, 400 for a bind of the
    /// instance, 422 without a code for a `PATCH`. A `PUT` gets no such 422, after which Cloud Foundry deletes (T55).
    Failed,
}

use RequestKind::{Bind, Delete, Get, Patch, PatchSame, Poll, PutOther, PutSame};
use Transition::{Busy, Cancel, Conflict, Exists, Failed, Gone, Join, NotFound, Report, Run, Show};

type Row = (RequestKind, [Transition; 8]);

/// Instances. The columns are in the order of [`Phase::ALL`].
#[rustfmt::skip]
const INSTANCES: [Row; 8] = [
    //            None      Creating  Ready     CreateFailed  Updating  Deleting  DeleteFailed  Gone
    (PutSame,   [ Run,      Join,     Exists,   Conflict,     Exists,   Busy,     Failed,       Run      ]),
    (PutOther,  [ Run,      Conflict, Conflict, Conflict,     Conflict, Busy,     Failed,       Run      ]),
    (Get,       [ NotFound, NotFound, Show,     NotFound,     Busy,     Busy,     Show,         NotFound ]),
    (PatchSame, [ NotFound, Busy,     Run,      NotFound,     Join,     Busy,     Failed,       NotFound ]),
    (Patch,     [ NotFound, Busy,     Run,      NotFound,     Busy,     Busy,     Failed,       NotFound ]),
    (Delete,    [ Gone,     Cancel,   Run,      Run,          Busy,     Join,     Run,          Gone     ]),
    (Poll,      [ NotFound, Report,   Report,   Report,       Report,   Report,   Report,       Report   ]),
    (Bind,      [ NotFound, Busy,     Run,      NotFound,     Busy,     Busy,     Failed,       NotFound ]),
];

/// Bindings, which can't be updated. The columns are in the order of [`Phase::ALL`].
#[rustfmt::skip]
const BINDINGS: [Row; 8] = [
    //            None      Creating  Ready     CreateFailed  Updating  Deleting  DeleteFailed  Gone
    (PutSame,   [ Run,      Join,     Exists,   Conflict,     Busy,     Busy,     Failed,       Run      ]),
    (PutOther,  [ Run,      Conflict, Conflict, Conflict,     Busy,     Busy,     Failed,       Run      ]),
    (Get,       [ NotFound, NotFound, Show,     NotFound,     Busy,     NotFound, Show,         NotFound ]),
    (PatchSame, [ NotFound; 8 ]),
    (Patch,     [ NotFound; 8 ]),
    (Delete,    [ Gone,     Cancel,   Run,      Run,          Busy,     Join,     Run,          Gone     ]),
    (Poll,      [ NotFound, Report,   Report,   Report,       Report,   Report,   Report,       Report   ]),
    (Bind,      [ NotFound; 8 ]),
];

/// Returns the reaction to a request for an instance in this phase.
pub const fn instance(kind: RequestKind, phase: Phase) -> Transition {
    INSTANCES[kind as usize].1[phase as usize]
}

/// Returns the reaction to a request for a binding in this phase.
pub const fn binding(kind: RequestKind, phase: Phase) -> Transition {
    BINDINGS[kind as usize].1[phase as usize]
}

const _: () = {
    let mut i = 0;
    while i < RequestKind::ALL.len() {
        assert!(RequestKind::ALL[i] as usize == i && INSTANCES[i].0 as usize == i && BINDINGS[i].0 as usize == i);
        assert!(Phase::ALL[i] as usize == i);
        i += 1;
    }
};
