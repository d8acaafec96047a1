//! Replay plays changes of plan whose new plan requires a parameter, or accepts only some of the values.

use osb_runtime::{prelude::*, service::Changes};
use osb_testing::Replay;
use serde_json::json;

use crate::replay::run;

/// Disks.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "disks",
    plans(Local, Remote, Tiny),
    changes(Local => Remote, Local => Tiny)
)]
struct Disks {
    is_in_use: bool,
}

/// In the machine.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "local", create = NewDisk, update = DiskChanges)]
struct Local;

/// In another machine.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "remote", create = NewRemote, update = RemoteChanges)]
struct Remote;

/// Of one gigabyte.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04",
    name = "tiny",
    create = NewDisk,
    update = DiskChanges,
    narrow(size(max = 4))
)]
struct Tiny;

/// A disk.
#[parameters(partial = DiskChanges)]
struct NewDisk {
    /// Its size.
    #[param(range(min = 1, max = 64), example = 16)]
    size: u32,
}

/// A disk in another machine.
#[parameters(partial = RemoteChanges)]
struct NewRemote {
    /// The part of the network.
    #[param(pattern = "^[a-z]+$")]
    region: String,
    /// The share of the network.
    #[param(range(min = 0.5, max = 1))]
    share: f64,
}

osb_lab::provision_nothing!(Disks);

osb_lab::update_nothing!(Disks: Local, Remote, Tiny);

impl<Old: Plan, New: Plan> ChangePlan<Old, New> for Disks
where
    Disks: Changes<Old, New>,
{
    async fn change_plan(
        &self,
        request: UpdateRequest<Old, New, ()>,
        _: &Operation,
    ) -> Result<Updated<()>, UpdateError> {
        if self.is_in_use && request.plan.name == "tiny" {
            return Err(UpdateError::refused("The disk is in use."));
        }
        Ok(Updated::new(()))
    }
}

#[broker]
struct Broker(Disks);

fn disks(is_in_use: bool) -> Replay {
    Replay::of(move || async move { Broker(Disks { is_in_use }) })
}

#[tokio::test]
async fn parameters_that_a_change_requires_are_given() {
    let replay = || disks(false).plan("disks", "local");
    // Neither has a default: the size of the example is too large for the smallest plan.
    let error = run(replay().change_plan("remote", json!({ "region": "eu", "share": 1 }))).await.expect_err("the size");
    assert!(error.contains("no parameters were found for the change of plan `disks/local` to `tiny`"), "{error}");
    assert!(error.contains(".change_plan(\"tiny\", json!("), "{error}");
    let error = run(replay().change_plan("tiny", json!({ "size": 2 }))).await.expect_err("the region");
    assert!(error.contains("no parameters were found for the change of plan `disks/local` to `remote`"), "{error}");
    let both = replay().change_plan("tiny", json!({ "size": 2 }));
    run(both.change_plan("remote", json!({ "region": "eu", "share": 1 }))).await.expect("it passes");
    let error = run(replay().change_plan("romete", json!({}))).await.expect_err("a misspelt plan");
    assert_eq!(error, "no change of a replayed plan leads to \"romete\"");
}

#[tokio::test]
async fn the_parameter_without_an_example_is_named() {
    let replay = || disks(false).plan("disks", "remote");
    let error = run(replay()).await.expect_err("no region");
    assert!(error.starts_with("no parameters were found for plan `disks/remote`: `region` has no example"), "{error}");
    let parameters = json!({ "region": "eu", "share": 0.75 });
    run(replay().parameters(parameters)).await.expect("by its bounds");
}

#[tokio::test]
async fn a_change_that_the_handler_refuses_can_be_left_out() {
    let replay = || disks(true).plan("disks", "local").change_plan("remote", json!({ "region": "eu", "share": 1 }));
    let error = run(replay().change_plan("tiny", json!({ "size": 2 }))).await.expect_err("the refusal");
    assert!(error.contains("The disk is in use.") && error.contains("`.without_change(from, to)`"), "{error}");
    run(replay().without_change("local", "tiny")).await.expect("the other change passes");
    let error = run(replay().without_change("local", "teeny")).await.expect_err("a misspelt plan");
    assert_eq!(error, "no change of a replayed plan leads from \"local\" to \"teeny\"");
    let error = run(replay().without_change("remote", "tiny")).await.expect_err("another plan has this change");
    assert_eq!(error, "no change of a replayed plan leads from \"remote\" to \"tiny\"");
}
