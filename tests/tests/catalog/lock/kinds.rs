//! Every kind of change between two releases of a catalog, in both directions.

use std::collections::BTreeSet;

use osb_docs::lock::Verdict;

use super::*;

/// Two catalogs, with the expected changes from the first to the second, and back.
struct Case {
    old: Lock,
    new: Lock,
    there: Vec<ChangeKind>,
    back: Vec<ChangeKind>,
}

/// A case from the catalog above to an edited one.
fn edited(there: &[ChangeKind], back: &[ChangeKind], edit: impl FnOnce(&mut Value)) -> Case {
    Case { old: lock(|_| {}), new: lock(edit), there: there.to_vec(), back: back.to_vec() }
}

/// A case between two edited catalogs.
fn between(
    there: &[ChangeKind],
    back: &[ChangeKind],
    old: impl FnOnce(&mut Value),
    new: impl FnOnce(&mut Value),
) -> Case {
    Case { old: lock(old), new: lock(new), there: there.to_vec(), back: back.to_vec() }
}

/// A case that sets a member of the service.
fn service_sets(there: ChangeKind, back: ChangeKind, member: &str, value: Value) -> Case {
    edited(&[there], &[back], |catalog| catalog["services"][0][member] = value)
}

/// A case that sets a member of the plan `free`.
fn plan_sets(there: ChangeKind, back: ChangeKind, member: &str, value: Value) -> Case {
    edited(&[there], &[back], |catalog| plan(catalog, "free")[member] = value)
}

/// A case that raises the maintenance version of the plan `free`.
fn version_raised(old: &str, new: &str) -> Case {
    let says = |version| lock(|catalog| plan(catalog, "free")["maintenance"] = json!(version));
    Case { old: says(old), new: says(new), there: vec![MaintenanceRaised], back: vec![MaintenanceLowered] }
}

fn services() -> Vec<Case> {
    let queue_renumbered = |catalog: &mut Value| catalog["services"][1]["id"] = json!(NEW);
    vec![
        edited(&[ServiceRemoved], &[ServiceAdded], |catalog| drop(remove(&mut catalog["services"], 1))),
        edited(&[ServiceIdChanged], &[ServiceIdChanged], queue_renumbered),
        edited(&[ServiceRenamed], &[ServiceRenamed], |catalog| catalog["services"][1]["name"] = json!("queues")),
        // Other changes are found as well.
        edited(&[ServiceIdChanged, NoLongerFree], &[ServiceIdChanged, NowFree], |catalog| {
            queue_renumbered(catalog);
            catalog["services"][1]["plans"][0]["free"] = json!(false);
        }),
        between(
            &[RetiredServiceRemoved],
            &[ServiceAdded],
            |catalog| catalog["services"][1]["plans"][0]["retired"] = json!(true),
            |catalog| drop(remove(&mut catalog["services"], 1)),
        ),
        // A new service has the former name of another one.
        edited(&[ServiceRenamed, NameReused], &[ServiceRemoved, IdReused], |catalog| {
            let queue = json!({ "id": NEW, "name": "queue", "plans": [{ "id": NEWER, "name": "one", "free": true }] });
            catalog["services"][1]["name"] = json!("queues");
            add(&mut catalog["services"], queue);
        }),
        // Two services swap their ids.
        edited(&[IdReused, IdReused], &[IdReused, IdReused], |catalog| {
            let [kv, queue] = [0, 1].map(|index| catalog["services"][index]["id"].clone());
            catalog["services"][0]["id"] = queue;
            catalog["services"][1]["id"] = kv;
        }),
        // A plan reuses the id of a removed service.
        between(
            &[ServiceRemoved, IdReused],
            &[PlanRemoved, IdReused],
            |_| {},
            |catalog| {
                let queue = remove(&mut catalog["services"], 1);
                add(&mut catalog["services"][0]["plans"], json!({ "id": queue["id"], "name": "big", "free": true }));
            },
        ),
        // A plan of a new service reuses the id of a removed service.
        edited(&[ServiceRemoved, ServiceAdded, IdReused], &[ServiceRemoved, IdReused], |catalog| {
            let queue = remove(&mut catalog["services"], 1);
            let big = json!({ "id": queue["id"], "name": "big", "free": true });
            add(&mut catalog["services"], json!({ "id": NEW, "name": "stream", "plans": [big] }));
        }),
        // A service gets an id that a plan had in an earlier release.
        between(
            &[ServiceRemoved, IdReused],
            &[ServiceIdChanged],
            |catalog| catalog["gone"] = json!({ NEW: "plan tiny of kv" }),
            queue_renumbered,
        ),
        // One of its plans was still on offer.
        between(
            &[ServiceRemoved],
            &[ServiceAdded],
            |catalog| plan(catalog, "free")["retired"] = json!(true),
            |catalog| drop(remove(&mut catalog["services"], 0)),
        ),
        service_sets(RequirementAdded, RequirementDropped, "requires", json!(["volume_mount"])),
        service_sets(InstancesRetrievable, InstancesNoLongerRetrievable, "instances_retrievable", json!(true)),
        service_sets(BindingsRetrievable, BindingsNoLongerRetrievable, "bindings_retrievable", json!(true)),
        service_sets(ContextUpdatesAllowed, ContextUpdatesWithdrawn, "allow_context_updates", json!(true)),
    ]
}

fn plans() -> Vec<Case> {
    let retire = |catalog: &mut Value| plan(catalog, "free")["retired"] = json!(true);
    let to_pro = |catalog: &mut Value| plan(catalog, "free")["changes_to"] = json!(["pro"]);
    vec![
        edited(&[PlanRemoved], &[PlanAdded], |catalog| drop(remove(&mut catalog["services"][0]["plans"], 0))),
        edited(&[PlanRetired], &[PlanSoldAgain], retire),
        between(&[RetiredPlanRemoved], &[PlanAdded], retire, |catalog| {
            drop(remove(&mut catalog["services"][0]["plans"], 0));
        }),
        edited(&[PlanIdChanged], &[PlanIdChanged], |catalog| plan(catalog, "free")["id"] = json!(NEW)),
        edited(&[PlanMoved], &[PlanMoved], |catalog| {
            let moved = remove(&mut catalog["services"][0]["plans"], 0);
            add(&mut catalog["services"][1]["plans"], moved);
        }),
        edited(&[PlanRenamed], &[PlanRenamed], |catalog| plan(catalog, "free")["name"] = json!("gratis")),
        // Other changes are found as well.
        edited(&[PlanIdChanged, NoLongerFree], &[PlanIdChanged, NowFree], |catalog| {
            plan(catalog, "free")["id"] = json!(NEW);
            plan(catalog, "free")["free"] = json!(false);
        }),
        edited(&[PlanRenamed, NoLongerFree], &[PlanRenamed, NowFree], |catalog| {
            plan(catalog, "free")["free"] = json!(false);
            plan(catalog, "free")["name"] = json!("trial");
        }),
        // A plan may reuse the name of a removed retired plan.
        between(&[PlanAdded, RetiredPlanRemoved], &[PlanIdChanged, PlanRetired], retire, |catalog| {
            plan(catalog, "free")["id"] = json!(NEW);
        }),
        // A plan takes the id of another one, which gets a new id.
        edited(&[PlanRenamed, NameReused], &[PlanRemoved, IdReused], |catalog| {
            plan(catalog, "free")["name"] = json!("gold");
            add(&mut catalog["services"][0]["plans"], json!({ "id": NEW, "name": "free", "free": true }));
        }),
        // Two plans swap their ids.
        edited(&[IdReused, IdReused], &[IdReused, IdReused], |catalog| {
            plan(catalog, "free")["id"] = json!(NEW);
            plan(catalog, "pro")["id"] = json!(FREE);
            plan(catalog, "free")["id"] = json!(PRO);
        }),
        plan_sets(NoLongerFree, NowFree, "free", json!(false)),
        plan_sets(BecomesBindable, BindabilityWithdrawn, "bindable", json!(true)),
        // Without bindings, changes of rotation, parameters and credentials are not reported.
        edited(&[BecomesBindable, BecomesRotatable], &[BindabilityWithdrawn], |catalog| {
            let plan = plan(catalog, "free");
            plan["bindable"] = json!(true);
            plan["rotatable"] = json!(true);
            let required = json!({ "type": "object", "properties": { "a": { "type": "any", "required": true } } });
            plan["bind"] = required.clone();
            plan["credentials"] = required;
        }),
        between(
            &[BecomesRotatable],
            &[RotationWithdrawn],
            |catalog| plan(catalog, "free")["bindable"] = json!(true),
            |catalog| {
                plan(catalog, "free")["bindable"] = json!(true);
                plan(catalog, "free")["rotatable"] = json!(true);
            },
        ),
        plan_sets(AppDemanded, AppNoLongerDemanded, "requires_app", json!(true)),
        plan_sets(AlwaysAsynchronous, NoLongerAlwaysAsynchronous, "always_asynchronous", json!(["instances"])),
        plan_sets(PollingChanged, PollingChanged, "maximum_polling_duration", json!(60)),
        between(
            &[PollingShortened],
            &[PollingChanged],
            |catalog| plan(catalog, "free")["maximum_polling_duration"] = json!(60),
            |catalog| plan(catalog, "free")["maximum_polling_duration"] = json!(59),
        ),
        plan_sets(MaintenanceAdded, MaintenanceRemoved, "maintenance", json!("1.0.0")),
        version_raised("1.9.0", "1.10.0-rc.1+5"),
        version_raised("1.0.0-rc.1", "1.0.0"),
        version_raised("1.0.0-rc.2", "1.0.0-rc.10"),
        version_raised("1.0.0-rc", "1.0.0-rc.1"),
        version_raised("1.0.0-9", "1.0.0-alpha"),
        version_raised("1.0.0-alpha", "1.0.0-beta"),
        // Neither version is higher.
        between(
            &[MaintenanceRaised],
            &[MaintenanceRaised],
            |catalog| plan(catalog, "free")["maintenance"] = json!("1.0.0+1"),
            |catalog| plan(catalog, "free")["maintenance"] = json!("1.0.0+2"),
        ),
        edited(&[ChangeAdded], &[ChangeWithdrawn], to_pro),
        // The change ends with its target, which is reported there.
        between(&[PlanRemoved], &[PlanAdded, ChangeAdded], to_pro, |catalog| {
            drop(remove(&mut catalog["services"][0]["plans"], 1));
        }),
        between(&[ChangeEndedByRetirement, PlanRetired], &[ChangeAdded, PlanSoldAgain], to_pro, |catalog| {
            plan(catalog, "pro")["retired"] = json!(true);
        }),
        // Targets are compared by id, not by name.
        between(&[PlanRenamed], &[PlanRenamed], to_pro, |catalog| {
            plan(catalog, "pro")["name"] = json!("professional");
            plan(catalog, "free")["changes_to"] = json!(["professional"]);
        }),
    ]
}

/// Parameters of the plan `free`, for creating an instance, creating a binding, or its family.
fn takes(schema: &str, there: &[ChangeKind], back: &[ChangeKind], old: &Value, new: &Value) -> Case {
    let with = |properties: &Value| {
        let parameters = json!({ "type": "object", "properties": properties });
        lock(|catalog| {
            plan(catalog, "free")["bindable"] = json!(true);
            plan(catalog, "free")[schema] = parameters;
        })
    };
    Case { old: with(old), new: with(new), there: there.to_vec(), back: back.to_vec() }
}

fn parameters_as_json() -> Vec<Case> {
    let [low, high] = [1, 2].map(|low| json!({ "a": { "type": "integer", "minimum": low } }));
    let foreign = |schema: Value| json!({ "a": { "type": "foreign", "foreign": schema } });
    let titled = |kind: &str| foreign(json!({ "properties": { "title": { "type": kind } } }));
    let listed = |title: &str| foreign(json!({ "enum": [{ "title": title }] }));
    let chosen = |nullable: bool| json!({ "a": { "type": "choice", "values": ["ü"], "nullable": nullable } });
    let text = |rule: &str, value: Value| json!({ "a": { "type": "string", rule: value } });
    vec![
        takes("create", &[MinimumRaised], &[MinimumLowered], &low, &high),
        takes("bind", &[MinimumRaised], &[MinimumLowered], &low, &high),
        takes("family", &[MinimumRaised], &[MinimumLowered], &low, &high),
        takes("create", &[ForeignChanged], &[ForeignChanged], &titled("string"), &titled("integer")),
        takes("create", &[ForeignChanged], &[ForeignChanged], &listed("a"), &listed("b")),
        takes("create", &[TypeWidened], &[TypeChanged], &chosen(false), &text("max_length", json!(1))),
        takes("create", &[TypeWidened, NullRefused], &[TypeChanged], &chosen(true), &text("max_length", json!(1))),
        takes("create", &[TypeChanged], &[TypeChanged], &chosen(false), &text("pattern", json!("^a$"))),
        takes("create", &[TypeChanged], &[TypeChanged], &chosen(false), &text("format", json!("email"))),
    ]
}

/// Credentials of the plan `free`.
fn hands_out(there: &[ChangeKind], back: &[ChangeKind], old: &Value, new: &Value) -> Case {
    let bindable = |properties: &Value| {
        let credentials = json!({ "type": "object", "properties": properties });
        lock(|catalog| {
            plan(catalog, "free")["bindable"] = json!(true);
            plan(catalog, "free")["credentials"] = credentials;
        })
    };
    Case { old: bindable(old), new: bindable(new), there: there.to_vec(), back: back.to_vec() }
}

/// A case with two versions of the credentials, given as JSON.
macro_rules! credentials {
    ($there:expr, $back:expr, $old:tt => $new:tt) => {
        hands_out(&$there, &$back, &json!($old), &json!($new))
    };
}

fn credentials() -> Vec<Case> {
    vec![
        credentials!([CredentialAdded], [CredentialRemoved], {} => { "a": { "type": "string" } }),
        credentials!([CredentialOptional], [CredentialRequired],
            { "a": { "type": "string", "required": true } } => { "a": { "type": "string" } }),
        credentials!([CredentialTypeChanged], [CredentialTypeChanged],
            { "a": { "type": "list", "items": { "type": "string" } } }
            => { "a": { "type": "list", "items": { "type": "integer" } } }),
        credentials!([CredentialTypeChanged], [], { "a": { "type": "integer" } } => { "a": { "type": "number" } }),
        credentials!([], [CredentialTypeChanged], { "a": { "type": "any" } } => { "a": { "type": "string" } }),
        credentials!([CredentialRemoved], [CredentialAdded],
            { "a": { "type": "tagged", "tag": "t", "variants": {
                "x": { "type": "object", "properties": { "b": { "type": "boolean" } } }
            } } }
            => { "a": { "type": "tagged", "tag": "t", "variants": { "x": { "type": "object" } } } }),
        credentials!([CredentialTypeChanged], [CredentialTypeChanged],
            { "a": { "type": "tagged", "tag": "t" } } => { "a": { "type": "tagged", "tag": "u" } }),
        credentials!([CredentialVariantAdded], [CredentialVariantRemoved],
            { "a": { "type": "tagged", "tag": "t", "variants": { "x": { "type": "object" } } } }
            => { "a": { "type": "tagged", "tag": "t", "variants": {
                "x": { "type": "object" }, "y": { "type": "object" }
            } } }),
        credentials!([CredentialConstantChanged], [CredentialConstantChanged],
            { "type": { "type": "string", "constant": "postgresql" } }
            => { "type": { "type": "string", "constant": "mysql" } }),
        // Locks of earlier releases have no constants.
        credentials!([], [],
            { "type": { "type": "string" } } => { "type": { "type": "string", "constant": "mysql" } }),
    ]
}

/// A case with two versions of the parameters of a new instance, given as types.
macro_rules! parameters {
    ($there:expr, $back:expr, { $($old:tt)* } => { $($new:tt)* }) => {
        parameters!($there, $back, [] { $($old)* } => [] { $($new)* })
    };
    ($there:expr, $back:expr, [$($how_old:tt)*] { $($old:tt)* } => [$($how_new:tt)*] { $($new:tt)* }) => {{
        #[parameters($($how_old)*)]
        struct Old { $($old)* }
        #[parameters($($how_new)*)]
        struct New { $($new)* }
        create_with(&$there, &$back, &const { Old::SCHEMA }, &const { New::SCHEMA })
    }};
}

fn create_with(there: &[ChangeKind], back: &[ChangeKind], old: &'static Schema, new: &'static Schema) -> Case {
    let lock = |create| Lock::of(&[&offering(Operations { create: Some(create), ..Operations::default() })]);
    Case { old: lock(old), new: lock(new), there: there.to_vec(), back: back.to_vec() }
}

#[parameters(rename_all = "lowercase")]
enum Two {
    Eu,
    Us,
}

#[parameters(rename_all = "lowercase")]
enum Three {
    Eu,
    Us,
    Ap,
}

#[parameters(tag = "kind")]
enum Disk {
    Local,
}

#[parameters(tag = "kind")]
enum Disks {
    Local,
    Remote { host: String },
}

#[parameters(tag = "sort")]
enum Sorts {
    Local,
}

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Point {
    /// Across.
    x: u8,
}

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Place {
    x: u8,
    y: Option<u8>,
}

fn properties() -> Vec<Case> {
    vec![
        parameters!([PropertyAdded], [PropertyRemoved], {} => { a: Option<u8> }),
        parameters!([RequiredAdded], [PropertyRemoved], {} => { a: u8 }),
        parameters!([RequiredAdded], [RequiredDropped], { a: Option<u8> } => { a: u8 }),
        parameters!([RequiredAdded], [RequiredDropped], { #[param(default = 1)] a: u8 } => { a: u8 }),
        // Renaming with an alias is compatible; going back breaks users of the new name.
        parameters!([PropertyRenamed], [PropertyRemoved, PropertyAdded],
            { a: Option<u8> } => { #[param(alias = "a")] b: Option<u8> }),
        parameters!([PropertyRenamed], [PropertyRemoved, RequiredAdded],
            { a: u8 } => { #[param(alias = "a")] b: u8 }),
        // Other changes are found as well.
        parameters!([PropertyRenamed, MaximumLowered], [PropertyRemoved, PropertyAdded],
            { a: Option<u16> } => { #[param(alias = "a")] b: Option<u8> }),
        // Another property takes the alias.
        parameters!([AliasRemoved, PropertyAdded], [PropertyRemoved],
            { #[param(alias = "z")] a: Option<u8> } => { a: Option<u8>, #[param(alias = "z")] b: Option<u8> }),
        parameters!([], [AliasRemoved], { a: Option<u8> } => { #[param(alias = "z")] a: Option<u8> }),
        parameters!([PropertiesMerged], [PropertyAdded, AliasRemoved],
            { a: Option<u8>, b: Option<u8> } => { #[param(alias = "b")] a: Option<u8> }),
        parameters!([NameTaken], [PropertyRemoved], [open] {} => [open] { a: Option<u8> }),
        parameters!([NameTaken], [AliasRemoved],
            [open] { a: Option<u8> } => [open] { #[param(alias = "z")] a: Option<u8> }),
        // The old name had its meaning already.
        parameters!([NameTaken, PropertyRenamed], [PropertyRemoved],
            [open] { a: Option<u8> } => [open] { #[param(alias = "a")] b: Option<u8> }),
        parameters!([Opened], [Closed], [] {} => [open] {}),
        parameters!([DefaultChanged], [DefaultChanged],
            { #[param(default = 1)] a: u8 } => { #[param(default = 2)] a: u8 }),
        parameters!([DefaultAdded], [DefaultRemoved], { a: Option<u8> } => { #[param(default = 2)] a: u8 }),
        parameters!([DefaultAdded], [DefaultRemoved], { a: Option<bool> } => { #[param(default = false)] a: bool }),
        // Other changes are found although the type is another one.
        parameters!([TypeChanged, RequiredAdded], [TypeChanged, RequiredDropped], { a: Option<u8> } => { a: bool }),
        parameters!([TypeChanged, DefaultChanged], [TypeChanged, DefaultChanged],
            { #[param(default = 1)] a: u8 } => { #[param(default = true)] a: bool }),
        parameters!([TypeChanged, SecretAdded], [TypeChanged, SecretDropped],
            { a: u8 } => { #[param(secret)] a: String }),
        parameters!([SecretAdded], [SecretDropped], { a: u8 } => { #[param(secret)] a: u8 }),
    ]
}

fn values() -> Vec<Case> {
    vec![
        parameters!([TypeChanged], [TypeChanged], { a: u8 } => { a: bool }),
        parameters!([TypeChanged], [TypeChanged], { a: u8 } => { a: Vec<u8> }),
        parameters!([TypeWidened], [TypeChanged], { a: bool } => { a: Value }),
        parameters!([TypeWidened, MinimumLowered, MaximumRaised], [TypeChanged], { a: u8 } => { a: f64 }),
        parameters!([TypeWidened], [TypeChanged], { a: Two } => { a: String }),
        parameters!([TypeChanged], [TypeChanged], { a: Two } => { #[param(length(max = 1))] a: String }),
        parameters!([ForeignChanged], [ForeignChanged], { a: Foreign<Point> } => { a: Foreign<Place> }),
        parameters!([MaximumLowered], [MaximumRaised], { a: u16 } => { a: u8 }),
        parameters!([MinimumRaised], [MinimumLowered], { a: u8 } => { #[param(range(min = 1))] a: u8 }),
        // Equal ranges in different notations.
        parameters!([], [], { #[param(range(exclusive_min = 0))] a: u8 } => { #[param(range(min = 1))] a: u8 }),
        parameters!([], [], { #[param(range(exclusive_max = 10))] a: u8 } => { #[param(range(max = 9))] a: u8 }),
        parameters!([], [], { #[param(multiple_of = 1)] a: u8 } => { a: u8 }),
        parameters!([MaximumLowered], [MaximumRaised],
            { #[param(range(max = 1.5))] a: f64 } => { #[param(range(exclusive_max = 1.5))] a: f64 }),
        parameters!([MinimumRaised], [MinimumLowered],
            { #[param(range(min = 1.5))] a: f64 } => { #[param(range(exclusive_min = 1.5))] a: f64 }),
        // They are equal as `f64`.
        parameters!([MaximumLowered], [MaximumRaised],
            { #[param(range(max = 9_007_199_254_740_993))] a: u64 }
            => { #[param(range(max = 9_007_199_254_740_992))] a: u64 }),
        parameters!([MultipleTightened], [MultipleLoosened], { a: u8 } => { #[param(multiple_of = 2)] a: u8 }),
        parameters!([MultipleTightened], [MultipleLoosened],
            { #[param(multiple_of = 0.5)] a: f64 } => { #[param(multiple_of = 1.5)] a: f64 }),
        parameters!([MultipleTightened], [MultipleTightened],
            { #[param(multiple_of = 2)] a: u8 } => { #[param(multiple_of = 3)] a: u8 }),
        parameters!([MinimumLengthRaised, MaximumLengthLowered], [MinimumLengthLowered, MaximumLengthRaised],
            { a: String } => { #[param(length(min = 1, max = 9))] a: String }),
        parameters!([], [], { a: String } => { #[param(length(min = 0))] a: String }),
        parameters!([MinimumLengthRaised, MaximumLengthLowered], [MinimumLengthLowered, MaximumLengthRaised],
            { #[param(length(min = 1, max = 9))] a: String } => { #[param(length(min = 2, max = 8))] a: String }),
        parameters!([PatternChanged], [PatternDropped], { a: String } => { #[param(pattern = "^a*$")] a: String }),
        // The new pattern matches more, which is not detected.
        parameters!([PatternChanged], [PatternChanged],
            { #[param(pattern = "^a$")] a: String } => { #[param(pattern = "^a*$")] a: String }),
        parameters!([FormatChanged], [FormatDropped], { a: String } => { #[param(format = "email")] a: String }),
        parameters!([ValueAdded], [ValueRemoved],
            { #[param(one_of(1, 3))] a: u8 } => { #[param(one_of(1, 3, 5))] a: u8 }),
        parameters!([ValuesLimited], [ValuesUnlimited], { a: u8 } => { #[param(one_of(1, 3))] a: u8 }),
        parameters!([ValueAdded], [ValueRemoved], { a: Two } => { a: Three }),
        parameters!([UniqueAdded], [UniqueDropped], { a: Vec<u8> } => { #[param(unique)] a: Vec<u8> }),
        parameters!([MaximumLowered], [MaximumRaised],
            { a: Vec<u8> } => { #[param(items(range(max = 9)))] a: Vec<u8> }),
        parameters!([MaximumLengthLowered], [MaximumLengthRaised],
            { a: std::collections::BTreeMap<String, u8> }
            => { #[param(length(max = 9))] a: std::collections::BTreeMap<String, u8> }),
        parameters!([VariantAdded], [VariantRemoved], { a: Disk } => { a: Disks }),
        parameters!([TagChanged], [TagChanged], { a: Disk } => { a: Sorts }),
        parameters!([TagChanged], [TagChanged], { a: Disks } => { a: Sorts }),
    ]
}

/// Cases with changes of the update schema.
fn updates() -> Vec<Case> {
    #[parameters(partial = FreeChanges)]
    struct Free {
        a: Option<u8>,
        b: Option<u8>,
    }
    #[parameters(partial = FixedChanges)]
    struct Fixed {
        #[param(immutable)]
        a: Option<u8>,
        b: Option<u8>,
    }
    #[parameters(partial = NeededChanges)]
    struct Needed {
        #[param(default = 1)]
        a: u8,
    }
    #[parameters]
    struct Never {
        a: Option<u8>,
    }
    let lock = |create, update| Lock::of(&[&offering(Operations { create: Some(create), update, bind: None })]);
    let free = || lock(&const { Free::SCHEMA }, Some(&const { FreeChanges::SCHEMA }));
    let fixed = lock(&const { Fixed::SCHEMA }, Some(&const { FixedChanges::SCHEMA }));
    let reset = lock(&const { Needed::SCHEMA }, Some(&const { NeededChanges::SCHEMA }));
    let never = lock(&const { Needed::SCHEMA }, Some(&const { Never::SCHEMA }));
    vec![
        Case { old: free(), new: fixed, there: vec![ImmutableAdded], back: vec![ImmutableDropped] },
        Case { old: reset, new: never, there: vec![NullRefused], back: vec![NullAccepted] },
        // Updates with parameters are removed.
        Case {
            old: free(),
            new: lock(&const { Free::SCHEMA }, None),
            there: vec![PropertyRemoved, PropertyRemoved],
            back: vec![PropertyAdded, PropertyAdded],
        },
    ]
}

fn cases() -> Vec<Case> {
    [services(), plans(), parameters_as_json(), credentials(), properties(), values(), updates()]
        .into_iter()
        .flatten()
        .collect()
}

#[test]
fn each_kind_of_change_is_found_in_both_directions() {
    for Case { old, new, mut there, mut back } in cases() {
        there.sort_unstable();
        back.sort_unstable();
        assert_eq!(found(&old, &new), there, "from {old}\nto {new}");
        assert_eq!(found(&new, &old), back, "from {new}\nto {old}");
        assert_eq!(found(&old, &old), []);
    }
}

#[test]
fn every_kind_of_change_has_a_case() {
    let seen: BTreeSet<ChangeKind> = cases().into_iter().flat_map(|case| [case.there, case.back].concat()).collect();
    let missing: Vec<ChangeKind> = ChangeKind::all().filter(|change| !seen.contains(change)).collect();
    assert_eq!(missing, []);
}

#[test]
fn breaking_changes_have_an_impact_and_an_alternative() {
    for change in ChangeKind::all() {
        let breaking = change.verdict() == Verdict::Breaking;
        assert!(!change.what().is_empty());
        assert_eq!((!change.breaks().is_empty(), !change.instead().is_empty()), (breaking, breaking), "{change:?}");
    }
}

#[test]
fn a_lock_survives_writing_and_reading() {
    for case in cases() {
        for lock in [case.old, case.new] {
            let text = lock.to_string();
            let again: Lock = text.parse().expect("a lock");
            assert_eq!(again, lock, "{text}");
            assert_eq!(again.to_string(), text);
        }
    }
}

#[test]
fn descriptions_are_not_locked() {
    #[parameters]
    struct Old {
        /// Its kind.
        #[param(example = 1)]
        a: u8,
        b: Foreign<Point>,
    }
    #[parameters(title = "New", description = "The new kind.")]
    struct New {
        b: Foreign<Documented>,
        #[param(title = "A", example = 2)]
        a: u8,
    }
    /// A point.
    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    struct Documented {
        /// From left to right.
        x: u8,
    }
    let case = create_with(&[], &[], &const { Old::SCHEMA }, &const { New::SCHEMA });
    assert_eq!(case.old, case.new);
}
