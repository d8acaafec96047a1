//! Sentences that tell users whether a plan's operations are asynchronous, and how long they may take.

use osb_runtime::catalog::{Mode, PlanSpec};

/// Describes how the plan's operations are processed; `None` if the plan leaves it to the broker.
pub(super) fn waiting(plan: &PlanSpec) -> Option<String> {
    let of = plan.asynchronous;
    let mut sentences = if plan.bindable && of.instances == of.bindings {
        vec![sentence("Instances and bindings are created, updated and deleted", of.instances)]
    } else {
        vec![
            sentence("Instances are created, updated and deleted", of.instances),
            sentence("Bindings are created and deleted", if plan.bindable { of.bindings } else { Mode::Adaptive }),
        ]
    };
    sentences.push(
        plan.maximum_polling_duration
            .map(|seconds| format!("An operation that takes longer than {} counts as failed.", duration(seconds))),
    );
    let sentences: Vec<_> = sentences.into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn sentence(subject: &str, mode: Mode) -> Option<String> {
    match mode {
        Mode::Adaptive => None,
        Mode::Always => {
            Some(format!("{subject} asynchronously: the platform reports when the operation has finished."))
        }
        Mode::Never => Some(format!("{subject} synchronously: the operation has finished when the command returns.")),
    }
}

/// Formats `7200` as “2 hours”, in the largest unit that divides it.
fn duration(seconds: u32) -> String {
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")];
    let (per, unit) = units.into_iter().find(|(per, _)| seconds.is_multiple_of(*per)).unwrap_or((1, "second"));
    let count = seconds / per;
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::{duration, waiting};
    use crate::fixture::KV;
    use osb_runtime::catalog::{Asynchronous, Mode, PlanSpec};

    #[test]
    fn durations_use_the_largest_whole_unit() {
        for (seconds, words) in [
            (1, "1 second"),
            (90, "90 seconds"),
            (60, "1 minute"),
            (5_400, "90 minutes"),
            (7_200, "2 hours"),
            (86_400, "1 day"),
            (604_800, "7 days"),
        ] {
            assert_eq!(duration(seconds), words);
        }
    }

    #[test]
    fn a_plan_states_how_its_operations_are_processed() {
        let said = |instances, bindings, bindable| {
            let asynchronous = Asynchronous { instances, bindings };
            waiting(&PlanSpec { bindable, asynchronous, ..KV.plans[0].spec })
        };
        let always = "asynchronously: the platform reports when the operation has finished.";
        let never = "synchronously: the operation has finished when the command returns.";
        assert_eq!(said(Mode::Adaptive, Mode::Adaptive, true), None);
        assert_eq!(
            said(Mode::Always, Mode::Always, true),
            Some(format!("Instances and bindings are created, updated and deleted {always}"))
        );
        assert_eq!(
            said(Mode::Always, Mode::Never, true),
            Some(format!(
                "Instances are created, updated and deleted {always} Bindings are created and deleted {never}"
            ))
        );
        assert_eq!(
            said(Mode::Never, Mode::Adaptive, false),
            Some(format!("Instances are created, updated and deleted {never}"))
        );
        assert_eq!(said(Mode::Adaptive, Mode::Never, true), Some(format!("Bindings are created and deleted {never}")));
    }
}
