//! The hook for bindings that expire, and the view of the records.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, SystemTime},
};

use osb_runtime::{
    lifecycle::{AnyHooks, Hooks, Settings},
    prelude::*,
    protocol::BindingId,
    store::{Phase, Records, StoredBinding, Timestamp},
};
use osb_testing::Client;
use serde_json::json;
use tokio::{sync::mpsc, time::timeout};

use crate::hooked_store::{Around, Hooked};

/// Doors.
#[service(id = "a0f6a3a4-40a1-4b7e-9a53-0a55b8a5f001", name = "door", plans(Plain))]
struct Doors;

/// A door.
#[plan(id = "a0f6a3a4-40a1-4b7e-9a53-0a55b8a5f002", name = "plain", create = NewDoor, bind = Pass, rotatable)]
struct Plain;

/// The parameters of a door.
#[parameters]
struct NewDoor {
    /// Height.
    #[param(default = 2)]
    height: u32,
}

/// The parameters of a pass.
#[parameters]
struct Pass {
    /// Milliseconds for which it is valid; 0 for ever.
    #[param(default = 0)]
    valid: u64,
}

/// The pass.
#[credentials]
struct Code {
    /// The code.
    code: u32,
}

osb_lab::provision_nothing!(Doors: Plain => u32 = |new| Provisioned::new(new.parameters.height));

impl Bind<Plain> for Doors {
    type Output = Credentials<Code>;
    type BindingState = ();
    async fn bind(
        &self,
        request: BindRequest<Plain, u32>,
        _: &Operation,
    ) -> Result<Bound<Credentials<Code>>, BindError> {
        let bound = Bound::new(Credentials(Code { code: request.instance_state }), ());
        Ok(match request.parameters.valid {
            0 => bound,
            valid => bound.expires_at(SystemTime::now() + Duration::from_millis(valid)),
        })
    }
    async fn unbind(&self, _: UnbindRequest<Plain, u32>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}

#[broker]
struct Broker(Doors);

struct Expiries(mpsc::UnboundedSender<StoredBinding>);

impl Hooks for Expiries {
    async fn expired(&self, binding: &StoredBinding) {
        let _ = self.0.send(binding.clone());
    }
}

fn settings(records: &Records) -> (Settings, mpsc::UnboundedReceiver<StoredBinding>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let mut settings = Settings::default();
    settings.store = records.clone();
    settings.hooks = Some(AnyHooks::of(Expiries(sender)));
    // The records are swept four times as often.
    settings.lease = Duration::from_millis(200);
    (settings, receiver)
}

#[tokio::test]
async fn a_binding_that_expires_is_reported_once() {
    let records = Records::in_memory();
    let (mut hooks, mut expired) = settings(&records);
    let client = Client::with(Broker(Doors), hooks).await;
    client.provision("one", "door", "plain", ()).await;
    for (id, valid) in [("for-ever", 0), ("later", 3_600_000), ("gone", 300), ("soon", 300)] {
        assert_eq!(client.bind("one", id, json!({ "valid": valid })).await.status, 201);
    }
    client.unbind("one", "gone").await;
    let found = timeout(Duration::from_mins(1), expired.recv()).await.expect("in time").expect("reported");
    assert_eq!(found.key.binding.as_ref().map(BindingId::as_str), Some("soon"));
    assert!(found.expires_at.is_some_and(|at| SystemTime::from(at) <= SystemTime::now()));
    assert!(!format!("{found:?}").contains("code"), "{found:?}");
    // It still exists.
    assert_eq!(client.fetch_binding("one", "soon").await.status, 200);
    drop(client);

    // Not again after a restart, and one that has expired meanwhile is.
    let (restarted, mut expired) = settings(&records);
    hooks = restarted;
    let client = Client::with(Broker(Doors), hooks).await;
    assert_eq!(client.bind("one", "next", json!({ "valid": 1 })).await.status, 201);
    let found = timeout(Duration::from_mins(1), expired.recv()).await.expect("in time").expect("reported");
    assert_eq!(found.key.binding.as_ref().map(BindingId::as_str), Some("next"));
    assert!(expired.try_recv().is_err());
}

/// A store whose time, in milliseconds, is this much ahead of the date.
struct Elsewhen(Arc<AtomicI64>);

impl Around for Elsewhen {
    fn now(&self) -> Option<Timestamp> {
        let (now, ahead) = (SystemTime::now(), self.0.load(Ordering::Relaxed));
        let difference = Duration::from_millis(ahead.unsigned_abs());
        Some((if ahead < 0 { now - difference } else { now + difference }).into())
    }
}

const TWO_HOURS: i64 = 2 * 3_600_000;

/// Other systems set the time, and know only the date.
#[tokio::test]
async fn a_store_whose_clock_is_ahead_lets_no_binding_expire() {
    let around = Elsewhen(Arc::new(AtomicI64::new(TWO_HOURS)));
    let records = Hooked::records(around);
    let (hooks, mut expired) = settings(&records);
    let client = Client::with(Broker(Doors), hooks).await;
    client.provision("one", "door", "plain", ()).await;
    for (id, valid) in [("later", 3_600_000), ("soon", 300)] {
        assert_eq!(client.bind("one", id, json!({ "valid": valid })).await.status, 201);
    }
    let found = timeout(Duration::from_mins(1), expired.recv()).await.expect("in time").expect("reported");
    assert_eq!(found.key.binding.as_ref().map(BindingId::as_str), Some("soon"));
    assert_eq!(client.rotate("one", "next", "later").await.status, 201);
    let late = client.rotate("one", "late", "soon").await;
    assert_eq!(late.status, 400, "T34: {late:?}");
    assert!(late.body["description"].as_str().is_some_and(|text| text.contains("has expired")), "{late:?}");
    assert!(expired.try_recv().is_err());
}

/// The hook is called once, by the first replica that finds it expired.
#[tokio::test]
async fn a_replica_whose_clock_is_ahead_lets_no_binding_expire() {
    let ahead = Arc::new(AtomicI64::new(-TWO_HOURS));
    let records = Hooked::records(Elsewhen(Arc::clone(&ahead)));
    let (hooks, mut expired) = settings(&records);
    let client = Client::with(Broker(Doors), hooks).await;
    client.provision("one", "door", "plain", ()).await;
    assert_eq!(client.bind("one", "soon", json!({ "valid": 1 })).await.status, 201);
    let bound_at = SystemTime::now();
    while bound_at.elapsed().is_ok_and(|elapsed| elapsed < Duration::from_millis(200)) {
        // A rotation is accepted, and its binding is valid for as long.
        assert_eq!(client.rotate("one", "next", "soon").await.status, 201);
        assert_eq!(client.unbind("one", "next").await.status, 200);
    }
    assert!(expired.try_recv().is_err());
    ahead.store(0, Ordering::Relaxed);
    let found = timeout(Duration::from_mins(1), expired.recv()).await.expect("in time").expect("reported");
    assert_eq!(found.key.binding.as_ref().map(BindingId::as_str), Some("soon"));
    assert_eq!(client.rotate("one", "next", "soon").await.status, 400);
}

#[tokio::test]
async fn instances_and_bindings_are_listed_in_pages() {
    let records = Records::in_memory();
    let client = Client::with(Broker(Doors), settings(&records).0).await;
    for number in 0..5 {
        let id = format!("i{number}");
        client.provision(&id, "door", "plain", json!({ "height": number })).await;
        client.bind(&id, "b", ()).await;
    }
    client.deprovision("i4").await;
    let (mut heights, mut last, mut pages) = (Vec::new(), None, 0);
    loop {
        let page = records.instances(last.as_ref(), 2).await.expect("readable");
        assert!(page.entries.len() <= 2);
        for instance in page.entries {
            assert_eq!((instance.phase, instance.bindings), (Phase::Ready, 1));
            assert_eq!(instance.operation.failure, None);
            heights.push(instance.state.expect("a state").decode::<u32>().expect("a number"));
        }
        pages += 1;
        last = page.next;
        if last.is_none() {
            break;
        }
    }
    assert_eq!((heights, pages), (vec![0, 1, 2, 3], 3));
    let first = records.instances(None, 1).await.expect("readable").entries.remove(0);
    assert_eq!(first.organization_guid.as_deref(), Some("organization"));
    assert_eq!(first.space_guid.as_deref(), Some("space"));
    assert!(first.operation.began_at <= Timestamp::from(SystemTime::now()), "{:?}", first.operation);
    assert_eq!(client.rotate("i0", "c", "b").await.status, 201);
    let bindings = records.bindings(Some(&first.key), 2).await.expect("readable").entries;
    for (binding, (id, predecessor)) in bindings.iter().zip([("b", None), ("c", Some("b"))]) {
        assert_eq!(binding.key, first.key.of_binding(id.into()));
        assert_eq!(binding.predecessor.as_ref().map(BindingId::as_str), predecessor);
    }
    let printed = format!("{first:?} {bindings:?}");
    assert!(printed.contains("StoredInstance(") && printed.contains("StoredBinding("), "{printed}");
    assert!(!printed.contains("height"), "{printed}");
}
