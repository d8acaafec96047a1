//! Processes of the program with records on one PostgreSQL, as an operator sees them.

use osb_throwaway_postgres::Server;

use crate::world::{Serving, home};

#[test]
fn sessions_have_the_name_of_the_program_unless_the_url_has_another() {
    let (server, home) = (Server::start(), home());
    let count = |name: &str| {
        server.sql(&format!("select count(*) > 0 from pg_stat_activity where application_name = '{name}'"))
    };
    let separator = if server.url().contains('?') { '&' } else { '?' };
    let named = format!("{}{separator}application_name=shelf%20in%20Oslo", server.url());
    for (url, name) in [(server.url(), "shelf"), (named, "shelf in Oslo")] {
        let serving = Serving::start(home.path(), &["--store", &url]);
        assert_eq!(count(name), "t");
        drop(serving);
    }
    assert_eq!(server.sql("select count(*) from shelf.records"), "0");
}
