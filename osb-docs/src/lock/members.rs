//! The locked members of services and plans. Each is declared once: with its name and type in the file, its value in the
//! model if it has another name there, and the kinds of its changes.

use serde::{Deserialize, Serialize};

use super::{
    ChangeKind,
    tree::{Schema, is_default},
};
use osb_runtime::catalog::{Mode, Offering, PlanSpec, Requires};

macro_rules! members {
    ($owner:ident of $model:ident {
        $($(#[$attribute:meta])* $name:ident: $type:ty = $compare:ident($($kind:ident),*) $(of $value:ident)?;)*
    } $($(#[$more_attribute:meta])* $more:ident: $more_type:ty,)*) => {
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $owner {
            pub(super) id: String,
            pub(super) name: String,
            $($(#[$attribute])* pub(super) $name: $type,)*
            $($(#[$more_attribute])* pub(super) $more: $more_type,)*
        }

        impl $owner {
            pub(super) fn of(model: &$model) -> Self {
                Self {
                    id: model.id.to_owned(),
                    name: model.name.to_owned(),
                    $($name: members!(@value model.$name $($value)?),)*
                    ..Self::default()
                }
            }

            /// Returns the changes of the members, each with the old and the new value.
            pub(super) fn changes(&self, is: &Self) -> Vec<Change> {
                let mut all = Vec::new();
                $(all.extend($compare([&self.$name, &is.$name], [$(ChangeKind::$kind),*]));)*
                all
            }
        }
    };
    (@value $model:ident.$name:ident) => { $model.$name };
    (@value $model:ident.$name:ident $value:ident) => { $value($model) };
}

members! { Service of Offering {
    #[serde(default, skip_serializing_if = "is_default")]
    requires: Vec<String> = words(RequirementAdded, RequirementDropped) of requires;
    #[serde(default, skip_serializing_if = "is_default")]
    instances_retrievable: bool = flag(InstancesRetrievable, InstancesNoLongerRetrievable);
    #[serde(default, skip_serializing_if = "is_default")]
    bindings_retrievable: bool = flag(BindingsRetrievable, BindingsNoLongerRetrievable);
    #[serde(default, skip_serializing_if = "is_default")]
    allow_context_updates: bool = flag(ContextUpdatesAllowed, ContextUpdatesWithdrawn);
}
    plans: Vec<Plan>,
}

members! { Plan of PlanSpec {
    #[serde(default, skip_serializing_if = "is_default")]
    retired: bool = flag(PlanRetired, PlanSoldAgain);
    // Written in any case, as its default in a catalog is `true`.
    free: bool = flag(NowFree, NoLongerFree);
    #[serde(default, skip_serializing_if = "is_default")]
    bindable: bool = flag(BecomesBindable, BindabilityWithdrawn);
    #[serde(default, skip_serializing_if = "is_default")]
    rotatable: bool = flag(BecomesRotatable, RotationWithdrawn);
    #[serde(default, skip_serializing_if = "is_default")]
    requires_app: bool = flag(AppDemanded, AppNoLongerDemanded);
    #[serde(default, skip_serializing_if = "is_default")]
    always_asynchronous: Vec<String> = words(AlwaysAsynchronous, NoLongerAlwaysAsynchronous) of always_asynchronous;
    #[serde(default, skip_serializing_if = "is_default")]
    maximum_polling_duration: Option<u32> = seconds(PollingShortened, PollingChanged);
    #[serde(default, skip_serializing_if = "is_default")]
    maintenance: Option<String> =
        version(MaintenanceAdded, MaintenanceRemoved, MaintenanceLowered, MaintenanceRaised) of maintenance;
}
    /// The names of the plans to which an instance can change.
    #[serde(default, skip_serializing_if = "is_default")]
    changes_to: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    create: Option<Schema>,
    #[serde(default, skip_serializing_if = "is_default")]
    update: Option<Schema>,
    #[serde(default, skip_serializing_if = "is_default")]
    bind: Option<Schema>,
    /// The fields of a binding's credentials, and their types.
    #[serde(default, skip_serializing_if = "is_default")]
    credentials: Option<Schema>,
}

fn requires(offering: &Offering) -> Vec<String> {
    let all = offering.plans.iter().fold(Requires::NONE, |all, plan| all.or(plan.requires));
    named([
        ("syslog_drain", all.syslog_drain),
        ("route_forwarding", all.route_forwarding),
        ("volume_mount", all.volume_mount),
    ])
}

fn always_asynchronous(PlanSpec { asynchronous, .. }: &PlanSpec) -> Vec<String> {
    let always = |mode| mode == Mode::Always;
    named([("instances", always(asynchronous.instances)), ("bindings", always(asynchronous.bindings))])
}

fn named<const N: usize>(all: [(&str, bool); N]) -> Vec<String> {
    all.into_iter().filter(|(_, set)| *set).map(|(name, _)| name.to_owned()).collect()
}

fn maintenance(plan: &PlanSpec) -> Option<String> {
    plan.maintenance.map(|maintenance| maintenance.version.to_owned())
}

/// A kind of change, the old value, and the new one.
type Change = (ChangeKind, String, String);

fn flag([was, is]: [&bool; 2], [set, cleared]: [ChangeKind; 2]) -> Option<Change> {
    (was != is).then(|| (if *is { set } else { cleared }, String::new(), String::new()))
}

fn words([was, is]: [&Vec<String>; 2], [added, removed]: [ChangeKind; 2]) -> Vec<Change> {
    let new = is.iter().filter(|word| !was.contains(word)).map(|word| (added, String::new(), word.clone()));
    let gone = was.iter().filter(|word| !is.contains(word)).map(|word| (removed, word.clone(), String::new()));
    new.chain(gone).collect()
}

fn seconds([was, is]: [&Option<u32>; 2], [shorter, other]: [ChangeKind; 2]) -> Option<Change> {
    let kind = if was.zip(*is).is_some_and(|(was, is)| is < was) { shorter } else { other };
    let [before, now] = [was, is].map(|time| time.map_or("not set".to_owned(), |time| format!("{time} seconds")));
    (was != is).then_some((kind, before, now))
}

fn version([was, is]: [&Option<String>; 2], [added, removed, lower, higher]: [ChangeKind; 4]) -> Option<Change> {
    let kind = match (was, is) {
        (_, None) => removed,
        (None, _) => added,
        (Some(was), Some(is)) => {
            if precedence(is) < precedence(was) {
                lower
            } else {
                higher
            }
        }
    };
    (was != is).then(|| (kind, was.clone().unwrap_or_default(), is.clone().unwrap_or_default()))
}

/// Returns the sort key of a semantic version: its numbers, then releases after pre-releases, then the pre-release
/// identifiers, numeric ones first.
fn precedence(version: &str) -> impl Ord {
    let version = version.split('+').next().unwrap_or_default();
    let (core, pre) = version.split_once('-').unwrap_or((version, ""));
    let number = |word| str::parse::<u64>(word).ok();
    let word = |word| (number(word).is_none(), number(word), word);
    (core.split('.').map(number).collect::<Vec<_>>(), pre.is_empty(), pre.split('.').map(word).collect::<Vec<_>>())
}
