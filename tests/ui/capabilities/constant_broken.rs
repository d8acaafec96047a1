//! Constants are URLs that are relative, not https or not percent-encoded, or error codes that are no word or reserved.

use osb_runtime::prelude::*;

// Mistake: A dashboard URL is relative.
const DASHBOARD: DashboardUrl = DashboardUrl::from_static("/dashboards");
// Mistake: An error code is not one word in CamelCase.
const QUOTA: ErrorCode = ErrorCode::from_static("quota exceeded");
// Mistake: An error code is one that the specification defines.
const BUSY: ErrorCode = ErrorCode::from_static("ConcurrencyError");
// Mistake: The URL of a log drain has no scheme.
const DRAIN: LogDrain = LogDrain::from_static("logs.example.com:6514");
// Mistake: The URL of a route service is not https.
const FILTER: RouteService = RouteService::from_static("http://filter.example.com");
// Mistake: The URL of a route service has a placeholder.
const FILTER_OF_APP: RouteService = RouteService::from_static("https://filter.example.com/{app}");

fn main() {
    let _ = Provisioned::new(()).dashboard(DASHBOARD);
    let _ = ProvisionError::refused("10 stores are the limit.").code(QUOTA);
    let _ = ProvisionError::refused("Another update is running.").code(BUSY);
    let _ = Bound::new(DRAIN, ());
    let _ = Bound::new(FILTER, ());
    let _ = Bound::new(FILTER_OF_APP, ());
}
