//! The time that an operation has.

use std::time::Duration;

use tokio::time::sleep;

use crate::directed::{Ending, World};

/// The platform of an operation that was synchronous repeats its request, and polls from then on.
#[tokio::test(start_paused = true)]
async fn asy_06_an_operation_that_becomes_asynchronous_has_the_time_of_one() {
    let mut world = World::new();
    let a = world.process("a").await;
    let work = async {
        let handler = world.call("a provision i 1").await;
        let repeated = a.ask("i").await;
        assert_eq!(repeated.status, 202, "{repeated:?}");
        sleep(Duration::from_mins(30)).await;
        assert_eq!(a.poll("i").await.body["state"], "in progress");
        assert!(handler.save("half").await);
        handler.end(Ending::Done("made")).await;
    };
    let (first, ()) = tokio::join!(a.ask_with("i", ""), work);
    assert_eq!(first.status, 201, "{first:?}");
    assert_eq!(a.end("i").await.body["state"], "succeeded");
}

#[tokio::test(start_paused = true)]
async fn a_synchronous_operation_ends_at_its_deadline() {
    let mut world = World::new();
    let a = world.process_with("a", |settings| settings.cancel_grace = Duration::from_secs(2)).await;
    let work = async {
        let abandoned = world.call("a provision i 1").await;
        assert!(abandoned.save("half").await);
        let rollback = world.call("a deprovision i 2").await;
        assert_eq!(rollback.state.as_deref(), Some("half"));
        rollback.end(Ending::Done("")).await;
    };
    let (first, ()) = tokio::join!(a.ask_with("i", ""), work);
    assert_eq!(first.status, 500, "{first:?}");
}
