//! The URL of a route service has a placeholder.

use osb_runtime::prelude::*;

const FILTER: RouteService = RouteService::from_static("https://filter.example.com/{app}");

fn main() {
    let _ = Bound::new(FILTER, ());
}
