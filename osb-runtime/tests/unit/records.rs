//! Records for tests.

use std::sync::Arc;

use proptest::{collection, option, prelude::*};
use serde_json::{Map, Value, json};

use super::{
    BindingRecord, Cancelled, Ended, InstanceRecord, OperationKind, OperationRecord, OperationState, Phase,
    PlannedUpdate, Record, StoredFailure, Timestamp, Tombstone, UpdateKey, operation::Earlier,
};
use crate::{
    json::{Json, LazyObject, Members},
    protocol::{BindResource, Origin},
    service::{Extras, StateJson},
};

/// Makes a record that is due at a time, with a text.
pub(super) fn record(said: &str, due: Option<u64>) -> InstanceRecord {
    let operation = OperationRecord {
        id: "o".into(),
        kind: OperationKind::Create { rollback: None },
        began: Timestamp::default(),
        attempt: 1,
        temporary_failures: 0,
        lease: Timestamp(due.unwrap_or_default()),
        deadline: Timestamp(0),
        accepted: true,
        admitted: false,
        progress: Some(said.to_owned()),
        checkpoint: None,
        origin: None,
        identity: None,
        trace: None,
        end: due.is_none().then_some(Ended { failure: None }),
    };
    InstanceRecord {
        service_id: "s".into(),
        plan_id: format!("p{}", said.len() % 3).into(),
        organization_guid: None,
        space_guid: None,
        context: LazyObject::default(),
        parameters: json!({}).into(),
        state: None,
        unfinished: None,
        half_updated: false,
        extras: Extras::default(),
        maintenance_version: None,
        status: OperationState { phase: Phase::Creating, operation, cancelled: None, earlier: Vec::new() },
        bindings: 0,
        busy: std::collections::BTreeMap::new(),
    }
}

fn value() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            collection::vec((".*", inner), 0..4).prop_map(|fields| fields.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
    .boxed()
}

/// Makes a saved state.
pub(super) fn saved(value: Value) -> StateJson {
    StateJson { value, ..StateJson::default() }
}

fn state() -> BoxedStrategy<StateJson> {
    (any::<u32>(), value()).prop_map(|(version, value)| StateJson { version, value }).boxed()
}

fn object() -> BoxedStrategy<Map<String, Value>> {
    collection::vec((".*", value()), 0..4).prop_map(|fields| fields.into_iter().collect()).boxed()
}

/// Generates members in reverse order.
fn members() -> BoxedStrategy<Members> {
    let members = collection::btree_map(".*", value().prop_map(Json::from), 0..4);
    members.prop_map(|members| members.into_iter().rev().collect()).boxed()
}

fn context() -> BoxedStrategy<LazyObject> {
    let platform = prop_oneof![Just(None), Just(Some("cloudfoundry")), Just(Some("kubernetes")), Just(Some("other"))];
    (platform, object())
        .prop_map(|(platform, mut fields)| {
            fields.extend(platform.map(|name| ("platform".to_owned(), json!(name))));
            fields.into()
        })
        .boxed()
}

fn failed() -> BoxedStrategy<StoredFailure> {
    (any::<u16>(), option::of(".*"), ".*", any::<Option<bool>>(), any::<Option<bool>>())
        .prop_map(|(status, error, description, instance_usable, update_repeatable)| StoredFailure {
            status,
            error,
            description,
            instance_usable,
            update_repeatable,
        })
        .boxed()
}

fn update_key() -> BoxedStrategy<UpdateKey> {
    (option::of(".*"), option::of(object()), option::of(".*"), option::of(context()))
        .prop_map(|(plan_id, parameters, maintenance_version, context)| UpdateKey {
            plan_id,
            parameters,
            maintenance_version,
            context,
        })
        .boxed()
}

fn kind() -> BoxedStrategy<OperationKind> {
    let change =
        (update_key(), ".*", option::of(object()), value(), any::<bool>(), option::of(".*"), option::of(context()));
    prop_oneof![
        option::of(failed()).prop_map(|rollback| OperationKind::Create { rollback }),
        proptest::sample::select(&Phase::ALL[..])
            .prop_map(|before| OperationKind::Delete { before, has_unbound: false }),
        change.prop_map(|(update_key, plan_id, changes, after, maintenance, version, context)| {
            let changes = changes.map(Value::from);
            OperationKind::Update(Box::new(PlannedUpdate {
                update_key,
                dashboard_url: Some(plan_id.clone()).filter(|_| maintenance),
                plan_id,
                changes: changes.map(Into::into),
                after: after.into(),
                maintenance,
                version,
                context,
            }))
        }),
    ]
    .boxed()
}

fn operation() -> BoxedStrategy<OperationRecord> {
    let origin = option::of(
        (".*", object()).prop_map(|(platform, user)| Arc::new(Origin { platform, user: user.into() }).into()),
    );
    let end = option::of(option::of(failed()).prop_map(|failure| Ended { failure }));
    let said = (option::of(".*"), option::of(state()), origin, option::of(".*"), end);
    (".*", kind(), any::<u32>(), any::<[u64; 2]>(), any::<[bool; 2]>(), said)
        .prop_map(|(id, kind, attempt, [lease, deadline], [accepted, admitted], said)| {
            let (lease, deadline, (progress, checkpoint, origin, identity, end)) =
                (Timestamp(lease), Timestamp(deadline), said);
            let identity = identity.map(Into::into);
            OperationRecord {
                id: id.into(),
                kind,
                began: deadline,
                attempt,
                temporary_failures: attempt % 3,
                lease,
                deadline,
                accepted,
                admitted,
                progress,
                checkpoint,
                origin,
                identity,
                trace: None,
                end,
            }
        })
        .boxed()
}

fn status() -> BoxedStrategy<OperationState> {
    let cancelled = option::of((operation(), any::<bool>()));
    let earlier = (".*", any::<bool>(), option::of(failed())).prop_map(|(id, is_delete, failure)| Earlier {
        id: id.into(),
        is_delete,
        failure,
    });
    (proptest::sample::select(&Phase::ALL[..]), operation(), cancelled, collection::vec(earlier, 0..3))
        .prop_map(|(phase, operation, cancelled, earlier)| OperationState {
            phase,
            operation,
            cancelled: cancelled.map(|(operation, released)| Box::new(Cancelled { operation, released })),
            earlier,
        })
        .boxed()
}

pub(super) fn binding() -> BoxedStrategy<BindingRecord> {
    let resource = (option::of(".*"), option::of(".*"), object()).prop_map(|(app_guid, route, fields)| BindResource {
        app_guid,
        route,
        fields,
        ..BindResource::default()
    });
    let given = (value(), resource, option::of(context()), option::of(".*"));
    let fields = (option::of(state()), members(), any::<u64>(), status());
    (".*", ".*", given, fields)
        .prop_map(|(service_id, plan_id, (parameters, resource, context, predecessor), fields)| {
            let (state, output, created, status) = fields;
            BindingRecord {
                service_id: service_id.into(),
                plan_id: plan_id.into(),
                parameters: parameters.into(),
                resource,
                context,
                predecessor: predecessor.map(Into::into),
                state,
                output,
                read_by: None,
                has_expired: false,
                created: Timestamp(created),
                status,
            }
        })
        .boxed()
}

fn tombstone() -> BoxedStrategy<Record> {
    let id = prop_oneof![".*", "[0-9a-f]{32}", "[0-9A-F]{30,33}"];
    (id, any::<[bool; 2]>(), option::of(failed()), option::of(".*"), any::<u64>())
        .prop_map(|(operation, [is_delete, accepted], failure, cancelled, forget_at)| {
            let (operation, cancelled) = (operation.into(), cancelled.map(Into::into));
            let forget_at = Timestamp(forget_at);
            Tombstone { operation, is_delete, accepted, failure, cancelled, forget_at }.into()
        })
        .boxed()
}

/// Generates records.
pub(super) fn any_record() -> BoxedStrategy<Record> {
    prop_oneof![instance().prop_map(Record::from), binding().prop_map(Record::from), tombstone()].boxed()
}

pub(super) fn instance() -> BoxedStrategy<InstanceRecord> {
    let ids = (".*", ".*", option::of(".*"), option::of(".*"));
    let states = (option::of(state()), option::of((".*", state())), any::<bool>());
    let extras = (option::of(".*"), object(), object()).prop_map(|(dashboard_url, labels, attributes)| Extras {
        dashboard_url,
        labels,
        attributes,
    });
    let id = || ".*".prop_map(|id: String| id.into());
    let bindings = (any::<u64>(), collection::btree_map(id(), option::of(id()), 0..3));
    (ids, context(), value(), states, (extras, option::of(".*")), status(), bindings)
        .prop_map(|(ids, context, parameters, states, (extras, maintenance_version), status, bindings)| {
            let (service_id, plan_id, organization_guid, space_guid) = ids;
            let (state, unfinished, half_updated) = states;
            let (bindings, busy) = bindings;
            InstanceRecord {
                service_id: service_id.into(),
                plan_id: plan_id.into(),
                organization_guid,
                space_guid,
                context,
                parameters: parameters.into(),
                state,
                unfinished,
                half_updated,
                extras,
                maintenance_version,
                status,
                bindings,
                busy,
            }
        })
        .boxed()
}
