//! The URL of a route service is not https.

use osb_runtime::prelude::*;

const FILTER: RouteService = RouteService::from_static("http://filter.example.com");

fn main() {
    let _ = Bound::new(FILTER, ());
}
