//! Checks requests for the same instance or binding that arrive at the same time.

use super::{
    SchemaKind,
    bindings::BindingUnderTest,
    plan::PlanUnderTest,
    session::{Exchange, Session, Stop, is_binding},
};
use osb_client::{Call, guid};

/// The number of requests that are sent at the same time.
const AT_ONCE: usize = 20;

/// Creates instances and bindings with requests at the same time, some of them equal and some different.
pub(super) async fn check(session: &mut Session<'_>, of: PlanUnderTest<'_>) -> Result<(), Stop> {
    // Before 2.14, platforms send one request after the other.
    if !session.since(14) {
        return Ok(());
    }
    session.try_to(format!("create an instance with {AT_ONCE} equal requests at the same time"));
    let create = of.samples(session, SchemaKind::Create)?;
    let instance = guid();
    let call = session.waiting(of.put(session, &instance, create.good.as_ref()));
    let answered = session.ask_at_once(&vec![call.clone(); AT_ONCE]).await?;
    let Some(made) = settle(session, &answered).await? else { return Ok(()) };

    if of.plan.bindable {
        let bound = BindingUnderTest { of, instance: &instance };
        let bind = of.samples(session, SchemaKind::Bind)?;
        session.try_to(format!("bind with {AT_ONCE} equal requests at the same time"));
        let binding = guid();
        let call = session.waiting(bound.put(session, &binding, bind.good.as_ref()));
        let answered = session.ask_at_once(&vec![call; AT_ONCE]).await?;
        if settle(session, &answered).await?.is_some() {
            delete(session, &bound.deletion(&binding)).await?;
        }
        if let Some(other) = &bind.other {
            session.try_to(format!("bind with {AT_ONCE} different requests at the same time"));
            let binding = guid();
            let calls = [bind.good.as_ref(), Some(other)].map(|of_one| bound.put(session, &binding, of_one));
            let calls = calls.map(|call| session.waiting(call));
            let answered = session.ask_at_once(&alternating(&calls)).await?;
            if one_of_two(session, &calls, &answered, "BIND-11").await? {
                delete(session, &bound.deletion(&binding)).await?;
            }
        }
    }
    delete(session, &of.deletion_of(&made.call)).await?;

    if let Some(other) = &create.other {
        session.try_to(format!("create an instance with {AT_ONCE} different requests at the same time"));
        let instance = guid();
        let calls = [create.good.as_ref(), Some(other)]
            .map(|parameters| session.waiting(of.put(session, &instance, parameters)));
        let answered = session.ask_at_once(&alternating(&calls)).await?;
        if one_of_two(session, &calls, &answered, "PROV-14").await? {
            delete(session, &of.deprovision(&instance)).await?;
        }
    }
    Ok(())
}

fn alternating(calls: &[Call; 2]) -> Vec<Call> {
    calls.iter().cycle().take(AT_ONCE).cloned().collect()
}

/// Checks the responses to two different requests that were sent at the same time, each several times: at most one has
/// success. Polls its operation, and returns whether it succeeded.
async fn one_of_two(
    session: &mut Session<'_>,
    calls: &[Call; 2],
    answered: &[Exchange],
    rule: &'static str,
) -> Result<bool, Stop> {
    for exchange in answered {
        let is_error = exchange.answer.status.is_server_error();
        session.demand(!is_error, "BLK-02", "success, 409 or 422 ConcurrencyError", exchange);
    }
    let winner = |call: &Call| {
        let winners = answered.iter().filter(|exchange| exchange.is_success() && exchange.call == *call);
        winners.min_by_key(|exchange| exchange.status() == 202)
    };
    let winners = [winner(&calls[0]), winner(&calls[1])];
    if let [Some(first), Some(second)] = winners {
        // If the operation of one request has failed, that of the other may have begun after it.
        let one_after_the_other = [first, second].iter().any(|exchange| exchange.status() == 202)
            && first.answer.operation() != second.answer.operation();
        let expected = "success for one of two different requests, and 409 for the other";
        session.demand(one_after_the_other, rule, expected, second);
    }
    let mut exists = false;
    for winner in winners.into_iter().flatten() {
        exists |= session.finish(winner).await?;
    }
    Ok(exists)
}

/// Checks the responses to equal requests that were sent at the same time: one creates, and the others wait for it, repeat
/// it or are blocked by it. Polls the operation, and returns the creation if it succeeded.
async fn settle(session: &mut Session<'_>, answered: &[Exchange]) -> Result<Option<Exchange>, Stop> {
    let made = answered.iter().find(|exchange| exchange.is_success());
    // Some brokers answer any repeated request 409, and some can't create this at all, for example without an application.
    // Both are reported elsewhere.
    let alone = match (made, answered.first()) {
        (Some(made), _) if answered.iter().any(|exchange| exchange.status() == 409) => {
            Some(session.ask(&made.call).await?).filter(|again| again.status() == 409)
        }
        (None, Some(refused)) => Some(session.ask(&refused.call).await?).filter(Exchange::is_refused),
        _ => None,
    };
    let usual = alone.map(|alone| alone.status());
    for exchange in answered {
        let right = [200, 201, 202].contains(&exchange.status())
            || exchange.has_code("ConcurrencyError")
            || Some(exchange.status()) == usual;
        session.demand(right, "BLK-02", "success, or 422 ConcurrencyError", exchange);
    }
    let Some(made) = made else { return Ok(None) };
    let accepted: Vec<&Exchange> = answered.iter().filter(|exchange| exchange.status() == 202).collect();
    if let Some(first) = accepted.first()
        && !session.finish(first).await?
    {
        return Ok(None);
    }
    let (once, one_operation) = if is_binding(&made.call) { ("BIND-07", "BIND-09") } else { ("PROV-10", "PROV-13") };
    for created in answered.iter().filter(|exchange| exchange.status() == 201).skip(1) {
        session.demand(false, once, "201 for one of the requests", created);
    }
    for other in &accepted {
        let same = other.answer.operation() == accepted[0].answer.operation();
        session.demand(same, one_operation, "the same `operation` for all of them", other);
    }
    Ok(Some(made.clone()))
}

/// Deletes with requests at the same time.
async fn delete(session: &mut Session<'_>, call: &Call) -> Result<(), Stop> {
    session.try_to(format!("delete with {AT_ONCE} requests at the same time"));
    let call = session.waiting(call.clone());
    let answered = session.ask_at_once(&vec![call; AT_ONCE]).await?;
    for exchange in &answered {
        let right = exchange.is_success() || exchange.status() == 410 || exchange.has_code("ConcurrencyError");
        session.demand(right, "BLK-02", "success, 410 or 422 ConcurrencyError", exchange);
    }
    match answered.iter().find(|exchange| exchange.status() == 202) {
        Some(accepted) => session.follow(accepted).await.map(drop),
        None => Ok(()),
    }
}
