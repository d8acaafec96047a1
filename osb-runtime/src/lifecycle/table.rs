//! What each request means in each phase: the tables that the engine goes by, and that its tests read.

pub use crate::store::Phase;

/// What a platform asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Asked {
    /// `PUT` with the attributes that it has, or that it is being made with.
    PutSame,
    /// `PUT` with other attributes.
    PutOther,
    /// `GET`.
    Get,
    /// `PATCH` that asks for what is being done already.
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

impl Asked {
    /// All of them, in the order of the tables' rows.
    pub const ALL: [Self; 8] =
        [Self::PutSame, Self::PutOther, Self::Get, Self::PatchSame, Self::Patch, Self::Delete, Self::Poll, Self::Bind];
}

/// What is done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// Do it, if the request is otherwise in order: a handler runs.
    Run,
    /// It is being done: the answer is that of the operation that runs, with its id.
    Join,
    /// Stop what runs, and remove what it made (DEP-06, UNB-05).
    Cancel,
    /// It is there already: 200 (PROV-11, BIND-08).
    Exists,
    /// Show what there is: 200.
    Show,
    /// Tell how the newest operation is going: 200, or 410 if a deletion has succeeded (LOI-03, LOI-07).
    Tell,
    /// The id is taken by something else: 409 (PROV-14, BIND-11).
    Conflict,
    /// 404.
    NotFound,
    /// There is nothing to delete: 410.
    Gone,
    /// 422 `ConcurrencyError` (BLK-02).
    Busy,
}

use Move::{Busy, Cancel, Conflict, Exists, Gone, Join, NotFound, Run, Show, Tell};

type Row = (Asked, [Move; 8]);

/// Instances. The columns are in the order of [`Phase::ALL`].
#[rustfmt::skip]
const INSTANCES: [Row; 8] = [
    //                   None      Creating  Ready   CreateFailed  Updating  Deleting  DeleteFailed  Gone
    (Asked::PutSame,   [ Run,      Join,     Exists, Conflict,     Exists,   Busy,     Busy,         Run      ]),
    (Asked::PutOther,  [ Run,      Conflict, Conflict, Conflict,   Conflict, Busy,     Conflict,     Run      ]),
    (Asked::Get,       [ NotFound, NotFound, Show,   NotFound,     Busy,     Busy,     Show,         NotFound ]),
    (Asked::PatchSame, [ NotFound, Busy,     Run,    NotFound,     Join,     Busy,     Busy,         NotFound ]),
    (Asked::Patch,     [ NotFound, Busy,     Run,    NotFound,     Busy,     Busy,     Busy,         NotFound ]),
    (Asked::Delete,    [ Gone,     Cancel,   Run,    Run,          Busy,     Join,     Run,          Gone     ]),
    (Asked::Poll,      [ NotFound, Tell,     Tell,   Tell,         Tell,     Tell,     Tell,         Tell     ]),
    (Asked::Bind,      [ NotFound, Busy,     Run,    NotFound,     Busy,     Busy,     Busy,         NotFound ]),
];

/// Bindings, which are never changed.
#[rustfmt::skip]
const BINDINGS: [Row; 8] = [
    //                   None      Creating  Ready   CreateFailed  Updating  Deleting  DeleteFailed  Gone
    (Asked::PutSame,   [ Run,      Join,     Exists, Conflict,     Busy,     Busy,     Busy,         Run      ]),
    (Asked::PutOther,  [ Run,      Conflict, Conflict, Conflict,   Busy,     Busy,     Conflict,     Run      ]),
    (Asked::Get,       [ NotFound, NotFound, Show,   NotFound,     Busy,     NotFound, Show,         NotFound ]),
    (Asked::PatchSame, [ NotFound; 8]),
    (Asked::Patch,     [ NotFound; 8]),
    (Asked::Delete,    [ Gone,     Cancel,   Run,    Run,          Busy,     Join,     Run,          Gone     ]),
    (Asked::Poll,      [ NotFound, Tell,     Tell,   Tell,         Tell,     Tell,     Tell,         Tell     ]),
    (Asked::Bind,      [ NotFound; 8]),
];

/// What a request for an instance means while it is in this phase.
#[must_use]
pub const fn instance(asked: Asked, phase: Phase) -> Move {
    INSTANCES[asked as usize].1[phase as usize]
}

/// What a request for a binding means while it is in this phase.
#[must_use]
pub const fn binding(asked: Asked, phase: Phase) -> Move {
    BINDINGS[asked as usize].1[phase as usize]
}

const _: () = {
    let mut i = 0;
    while i < Asked::ALL.len() {
        assert!(Asked::ALL[i] as usize == i && INSTANCES[i].0 as usize == i && BINDINGS[i].0 as usize == i);
        assert!(Phase::ALL[i] as usize == i);
        i += 1;
    }
};
