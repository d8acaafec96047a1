//! A dashboard URL is relative.

use osb_runtime::prelude::*;

const DASHBOARD: DashboardUrl = DashboardUrl::from_static("/dashboards");

fn main() {
    let _ = Provisioned::new(()).dashboard(DASHBOARD);
}
