//! What a plan says of waiting, in words for whoever waits.

use osb_runtime::catalog::{Mode, PlanSpec};

/// Whether its work is done in the background, and how long it may take; nothing if the plan says neither.
pub(super) fn waiting(plan: &PlanSpec) -> Option<String> {
    let of = plan.asynchronous;
    let mut sentences = if plan.bindable && of.instances == of.bindings {
        vec![sentence("Instances and bindings are created, changed and deleted", of.instances)]
    } else {
        vec![
            sentence("Instances are created, changed and deleted", of.instances),
            sentence("Bindings are created and deleted", if plan.bindable { of.bindings } else { Mode::Adaptive }),
        ]
    };
    sentences.push(
        plan.maximum_polling_duration
            .map(|seconds| format!("What is not done after {} counts as failed.", duration(seconds))),
    );
    let sentences: Vec<_> = sentences.into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn sentence(subject: &str, mode: Mode) -> Option<String> {
    match mode {
        Mode::Adaptive => None,
        Mode::Always => Some(format!("{subject} in the background: the platform tells when it is done.")),
        Mode::Never => Some(format!("{subject} while you wait: when the command ends, it is done.")),
    }
}

/// `7200` as “2 hours”: in the largest unit that it is whole in.
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
    fn durations_are_told_in_their_largest_unit() {
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
    fn a_plan_says_what_users_wait_for() {
        let said = |instances, bindings, bindable| {
            let asynchronous = Asynchronous { instances, bindings };
            waiting(&PlanSpec { bindable, asynchronous, ..KV.plans[0].spec })
        };
        let background = "in the background: the platform tells when it is done.";
        let meanwhile = "while you wait: when the command ends, it is done.";
        assert_eq!(said(Mode::Adaptive, Mode::Adaptive, true), None);
        assert_eq!(
            said(Mode::Always, Mode::Always, true),
            Some(format!("Instances and bindings are created, changed and deleted {background}"))
        );
        assert_eq!(
            said(Mode::Always, Mode::Never, true),
            Some(format!(
                "Instances are created, changed and deleted {background} Bindings are created and deleted {meanwhile}"
            ))
        );
        assert_eq!(
            said(Mode::Never, Mode::Adaptive, false),
            Some(format!("Instances are created, changed and deleted {meanwhile}"))
        );
        assert_eq!(
            said(Mode::Adaptive, Mode::Never, true),
            Some(format!("Bindings are created and deleted {meanwhile}"))
        );
    }
}
