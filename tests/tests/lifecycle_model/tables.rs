//! The requirements' tables of responses to each request in each phase. If a cell has alternatives, this broker chooses
//! the first.
//!
//! `run`: run a handler, or refuse for another reason; `join`: 202 with the id of the running operation, or its result;
//! `C`: 422 `ConcurrencyError`.

use osb_runtime::{
    lifecycle::transitions::{self, RequestKind, Transition},
    store::Phase,
};

#[rustfmt::skip]
const INSTANCES: &str = "
              none  creating   ready  create-failed  updating    deleting  delete-failed  gone
    put-same  run   join       200    409|run        200|C       C         409|C          run|409
    put-other run   409        409    409            409         C|409     409            run|409
    get       404   404        200    404            C|200       C         200            404
    patch-same 404  C          run    404|C          join        C         422|run        404
    patch     404   C          run    404|C          C           C         422|run        404
    delete    410   cancel|C   run    run            C|cancel    join      run            410
    poll      404   200        200    200            200         200       200            200
    bind      404   C          run    404|C          C|run       C         400|run        404
";

#[rustfmt::skip]
const BINDINGS: &str = "
              none  creating   ready  create-failed  updating    deleting  delete-failed  gone
    put-same  run   join       200    409|run        C           C         409|C          run|409
    put-other run   409        409    409            C           C|409     409            run|409
    get       404   404        200    404            C           404|200   200            404
    patch-same 404  404        404    404            404         404       404            404
    patch     404   404        404    404            404         404       404            404
    delete    410   cancel|C   run    run            C           join      run            410
    poll      404   200        200    200            200         200       200            200
    bind      404   404        404    404            404         404       404            404
";

/// Returns the allowed responses.
fn cell(table: &'static str, row: &str, phase: Phase) -> impl Iterator<Item = &'static str> {
    let row = table.lines().map(str::trim).find(|line| line.split(' ').next() == Some(row)).expect("a row");
    row.split_whitespace().nth(phase as usize + 1).expect("a column").split('|')
}

/// Returns this broker's response to a request for an instance.
pub(crate) fn instance(row: &str, phase: Phase) -> &'static str {
    cell(INSTANCES, row, phase).next().expect("a word")
}

/// Returns this broker's response to a request for a binding.
pub(crate) fn binding(row: &str, phase: Phase) -> &'static str {
    cell(BINDINGS, row, phase).next().expect("a word")
}

/// A transition table of the engine.
type Table = fn(RequestKind, Phase) -> Transition;

/// Returns the word for a response of the engine.
fn word(asked: RequestKind, response: Transition) -> &'static str {
    match response {
        Transition::Run => "run",
        Transition::Join => "join",
        Transition::Cancel => "cancel",
        Transition::Exists | Transition::Show | Transition::Report => "200",
        Transition::Conflict => "409",
        Transition::NotFound => "404",
        Transition::Gone => "410",
        Transition::Busy => "C",
        // Not a 422 without a code for a PUT, after which Cloud Foundry would delete the instance or binding (T55).
        Transition::Failed => match asked {
            RequestKind::PutSame | RequestKind::PutOther => "409",
            RequestKind::Bind => "400",
            _ => "422",
        },
    }
}

#[test]
fn the_engine_implements_the_requirements_tables() {
    let rows = ["put-same", "put-other", "get", "patch-same", "patch", "delete", "poll", "bind"];
    for (table, engine) in [(INSTANCES, transitions::instance as Table), (BINDINGS, transitions::binding)] {
        for (row, asked) in rows.into_iter().zip(RequestKind::ALL) {
            for phase in Phase::ALL {
                let expected = cell(table, row, phase).next();
                assert_eq!(Some(word(asked, engine(asked, phase))), expected, "{row} while {phase:?}");
            }
        }
    }
}
