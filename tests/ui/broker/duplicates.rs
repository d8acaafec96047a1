//! Two services have the same id, name or dashboard client, or plans with the same id; ids may differ in case.

use osb_runtime::prelude::*;

include!("../case.rs");

/// Kv.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(OfKv), dashboard_client(id = "acme", secret_env = "KV", redirect_uri = "https://kv.example.com"))]
pub struct Kv;

/// The plan of the service.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct OfKv;

/// SameId.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "same-id", plans(OfSameId))]
pub struct SameId;

/// The plan of the service.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "small")]
pub struct OfSameId;

/// IdInCapitals.
#[service(id = "3F1F9D0E-54A5-4A3C-9E0A-6B1C4F6F5A01", name = "id-in-capitals", plans(OfIdInCapitals))]
pub struct IdInCapitals;

/// The plan of the service.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "small")]
pub struct OfIdInCapitals;

/// SameName.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "kv", plans(OfSameName))]
pub struct SameName;

/// The plan of the service.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "small")]
pub struct OfSameName;

/// SamePlan.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "same-plan", plans(OfSamePlan))]
pub struct SamePlan;

/// The plan of the service.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "small")]
pub struct OfSamePlan;

/// PlanInCapitals.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "plan-in-capitals", plans(OfPlanInCapitals))]
pub struct PlanInCapitals;

/// The plan of the service.
#[plan(id = "8A4A2B58-54A5-4A3C-9E0A-6B1C4F6F5A01", name = "small")]
pub struct OfPlanInCapitals;

/// SameDashboard.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "same-dashboard", plans(OfSameDashboard), dashboard_client(id = "acme", secret_env = "Q", redirect_uri = "https://q.example.com"))]
pub struct SameDashboard;

/// The plan of the service.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "small")]
pub struct OfSameDashboard;

provisions!(Kv, SameId, IdInCapitals, SameName, SamePlan, PlanInCapitals, SameDashboard);

// Mistake: Two services have the same id.
/// A broker.
#[broker]
pub struct WithSameId(Kv, SameId);

// Mistake: The ids of two services differ only in case.
/// A broker.
#[broker]
pub struct WithIdInCapitals(Kv, IdInCapitals);

// Mistake: Two services have the same name.
/// A broker.
#[broker]
pub struct WithSameName(Kv, SameName);

// Mistake: Plans of two services have the same id.
/// A broker.
#[broker]
pub struct WithSamePlan(Kv, SamePlan);

// Mistake: The ids of plans of two services differ only in case.
/// A broker.
#[broker]
pub struct WithPlanInCapitals(Kv, PlanInCapitals);

// Mistake: Two services have the same dashboard client.
/// A broker.
#[broker]
pub struct WithSameDashboard(Kv, SameDashboard);
