//! The catalog has what each argument of `#[service]` and `#[plan]` says, in the words of the specification.

use osb_runtime::{json::Json, prelude::*};
use serde_json::{Value, json};

include!("../handlers.rs");

/// A store of keys
/// and values.
///
/// This paragraph is not in the catalog.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "kv",
    tags("kv", "store"),
    plans(Free, Pro),
    changes(Pro => Free),
    metadata(
        display_name = "Key \"value\"",
        image_url = "data:image/svg+xml;base64,PHN2Zy8+",
        long_description = "Keys,\nand values.",
        provider_display_name = "Acme",
        documentation_url = "https://example.com/docs%20of%20kv",
        support_url = "https://example.com/support",
        shareable,
        "regions": ["eu", "us"],
        "limits": { "keys": 10, "ratio": -0.5, "soft": true, "until": null },
    ),
    dashboard_client(id = "kv-dashboard", secret_env = "KV_SECRET", redirect_uri = "https://example.com/login"),
    bindings_retrievable = false,
    allow_context_updates,
    extensions("acme:tier": 1),
)]
struct Kv;

/// This is not the description.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "free",
    description = "10 MB.",
    metadata(costs((usd = 0, unit = "MONTHLY"))),
)]
struct Free;

/// 1 GB.
#[plan(
    id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "pro",
    free = false,
    create = NewStore,
    narrow(ttl(min = 10, max = 60), name(max = 8)),
    maximum_polling_duration = "2h",
    maintenance_info(version = "1.2.3", description = "A new disk."),
    metadata(
        display_name = "Pro",
        bullets("1 GB", "Backups"),
        costs((usd = 9.90, eur = 9, unit = "MONTHLY"), (usd = 0.1, unit = "gigabyte")),
        "slots": 3,
    ),
    extensions("acme:disk": "ssd"),
)]
struct Pro;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Seconds.
    pub ttl: u32,
    /// The name.
    #[param(length(max = 20))]
    pub name: String,
}

provisions!(Kv);
updates!(Kv, Pro);

impl ChangePlan<Pro, Free> for Kv {
    async fn change_plan(
        &self,
        _: UpdateRequest<Pro, Free, ()>,
        _: &Operation<()>,
    ) -> Result<Updated<()>, UpdateError> {
        Ok(Updated::new(()))
    }
}

/// The broker.
#[broker]
struct Broker {
    kv: Kv,
}

pub(super) fn main() {
    let catalog: Value = serde_json::from_slice(Broker::CATALOG).expect("JSON");
    let service = json!({
        "name": "kv",
        "id": "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
        "description": "A store of keys and values.",
        "tags": ["kv", "store"],
        "bindable": false,
        "instances_retrievable": true,
        "bindings_retrievable": false,
        "allow_context_updates": true,
        "metadata": {
            "displayName": "Key \"value\"",
            "imageUrl": "data:image/svg+xml;base64,PHN2Zy8+",
            "longDescription": "Keys,\nand values.",
            "providerDisplayName": "Acme",
            "documentationUrl": "https://example.com/docs%20of%20kv",
            "supportUrl": "https://example.com/support",
            "shareable": true,
            "regions": ["eu", "us"],
            "limits": { "keys": 10, "ratio": -0.5, "soft": true, "until": null },
        },
        "dashboard_client": { "id": "kv-dashboard", "redirect_uri": "https://example.com/login" },
        "plan_updateable": true,
        "plans": [
            {
                "id": "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01",
                "name": "free",
                "metadata": { "costs": [{ "amount": { "usd": 0.0 }, "unit": "MONTHLY" }] },
                "description": "10 MB.",
                "free": true,
                "bindable": false,
                "binding_rotatable": false,
                "plan_updateable": false,
            },
            {
                "id": "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01",
                "name": "pro",
                "description": "1 GB.",
                "metadata": {
                    "displayName": "Pro",
                    "bullets": ["1 GB", "Backups"],
                    "costs": [
                        { "amount": { "usd": 9.90, "eur": 9.0 }, "unit": "MONTHLY" },
                        { "amount": { "usd": 0.1 }, "unit": "gigabyte" },
                    ],
                    "slots": 3,
                },
                "free": false,
                "bindable": false,
                "binding_rotatable": false,
                "plan_updateable": true,
                "maximum_polling_duration": 7200,
                "maintenance_info": { "version": "1.2.3", "description": "A new disk." },
                "acme:disk": "ssd",
                "schemas": { "service_instance": { "create": { "parameters": {
                    "$schema": "http://json-schema.org/draft-04/schema#",
                    "type": "object",
                    "description": "The parameters of a new store.",
                    "properties": {
                        "ttl": { "type": "integer", "minimum": 10, "maximum": 60, "description": "Seconds." },
                        "name": { "type": "string", "maxLength": 8, "description": "The name." },
                    },
                    "required": ["ttl", "name"],
                    "additionalProperties": false,
                } } } },
            },
        ],
        "acme:tier": 1,
    });
    assert_eq!(catalog["services"][0], service, "{catalog:#}");
    let ordered = Json::read(Broker::CATALOG).expect("JSON");
    let fields = ordered["services"][0]["plans"][1].as_object().expect("an object").iter().map(|(name, _)| name);
    let specified = "id name description metadata free bindable binding_rotatable plan_updateable schemas \
                     maximum_polling_duration maintenance_info acme:disk";
    assert!(fields.eq(specified.split(' ')), "the order of the specification: {ordered}");

    let offering = Broker::OFFERINGS[0];
    assert_eq!(offering.dashboard_client.map(|client| client.secret_env), Some("KV_SECRET"));
    assert_eq!(offering.image_url, Some("data:image/svg+xml;base64,PHN2Zy8+"));
    assert_eq!(offering.long_description, Some("Keys,\nand values."));
    let [free, pro] = offering.plans else { panic!("two plans") };
    assert_eq!((free.spec.display_name, free.spec.bullets, free.spec.costs), (None, &[][..], &["0.0 USD monthly"][..]));
    assert_eq!((pro.spec.display_name, pro.spec.bullets), (Some("Pro"), &["1 GB", "Backups"][..]));
    assert_eq!(pro.spec.maintenance.and_then(|info| info.description), Some("A new disk."));
    assert_eq!(pro.spec.costs, ["9.90 USD or 9.0 EUR monthly", "0.1 USD per gigabyte"]);
}
