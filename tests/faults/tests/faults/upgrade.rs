//! Replaces the replicas of a broker one by one by those of another release.

use osb_faults::upgrade;
use osb_throwaway_postgres::Server;

#[test]
fn no_request_fails_while_replicas_are_upgraded_one_by_one() {
    let Some(server) = Server::start_or_skip() else { return };
    let report = upgrade::run(env!("CARGO_BIN_EXE_stores"), &server, 1);
    println!("upgrade: {report}");
}
