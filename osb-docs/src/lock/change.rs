//! The kinds of changes: one table with the members that they concern, the verdict, the impact and an alternative for each.

use super::tree::Scope;

/// The effect of a change on platforms, users and existing instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Something that worked no longer works, or has a different meaning.
    Breaking,
    /// Something new; everything else is unchanged.
    Addition,
    /// Neither breaks nor adds anything.
    Harmless,
}

/// The difference between two values of a member. Unset flags count as absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Added,
    Removed,
    Raised,
    Lowered,
    Changed,
}

/// A row of the table.
struct Entry {
    change: ChangeKind,
    members: &'static [(Scope, &'static str, &'static [Effect])],
    verdict: Verdict,
    what: &'static str,
    breaks: &'static str,
    instead: &'static str,
}

macro_rules! changes {
    ($(
        $(#[doc = $section:literal])*
        $verdict:ident $name:ident $(($scope:ident.$member:ident: $($effect:ident)|+))* $what:literal $(breaks $breaks:literal instead $instead:literal)?;
    )*) => {
        /// A kind of change between two releases of a catalog.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum ChangeKind {
            $(
                #[doc = concat!(stringify!($verdict), ": ", $what, ".", $(" It breaks ", $breaks, ". Instead: ", $instead, ".")?)]
                $name,
            )*
        }

        const TABLE: &[Entry] = &[$(Entry {
            change: ChangeKind::$name,
            members: &[$((Scope::$scope, stringify!($member), &[$(Effect::$effect),+])),*],
            verdict: Verdict::$verdict,
            what: $what,
            breaks: concat!($($breaks)?),
            instead: concat!($($instead)?),
        }),*];
    };
}

changes! {
    Breaking ServiceRemoved "the service was removed"
        breaks "the platform, which keeps a service that it can neither offer nor remove, and existing instances: the broker does not start while there are any"
        instead "keep it until the last instance is deleted";
    Breaking ServiceIdChanged "the id of the service changed"
        breaks "the platform, which sees a different service, and existing instances: they belong to the old id"
        instead "restore the old id; an id must never change (CAT-11)";
    Breaking ServiceRenamed "the name of the service changed"
        breaks "users: their commands, scripts and manifests use the name"
        instead "keep the name, and change `display_name`";
    Harmless RetiredServiceRemoved "the service was removed, after all of its plans were retired; the broker does not start where instances of it still exist";
    Addition ServiceAdded "the service is new";
    Breaking IdReused "an id was reused for something else"
        breaks "the platform, which identifies services and plans by id: existing instances would change their service or plan"
        instead "generate a new id, for instance with `uuidgen` (CAT-11, CAT-30)";
    Breaking NameReused "a name was reused for something else"
        breaks "users, whose commands, scripts and manifests use the name, and platforms that still have the old service or plan"
        instead "choose a new name; or, if only the id was meant to change, restore the old id";
    Breaking RequirementAdded (Service.requires: Added) "bindings require an additional permission of the platform"
        breaks "the platform: unless its operators granted the permission, it refuses the catalog or the bindings"
        instead "offer the feature that requires it as a separate service";
    Harmless RequirementDropped (Service.requires: Removed) "bindings no longer require a permission of the platform";
    Breaking InstancesNoLongerRetrievable (Service.instances_retrievable: Removed) "instances can no longer be fetched"
        breaks "the platform, and users who read the parameters of instances"
        instead "keep `instances_retrievable`";
    Addition InstancesRetrievable (Service.instances_retrievable: Added) "instances can be fetched";
    Breaking BindingsNoLongerRetrievable (Service.bindings_retrievable: Removed) "bindings can no longer be fetched"
        breaks "the platform and users, who fetch the credentials of bindings that were created asynchronously"
        instead "keep `bindings_retrievable`";
    Addition BindingsRetrievable (Service.bindings_retrievable: Added) "bindings can be fetched";
    Breaking ContextUpdatesWithdrawn (Service.allow_context_updates: Removed) "updates of the context alone are no longer accepted"
        breaks "the platform, which reports renamed organizations, spaces and instances that way"
        instead "keep `allow_context_updates`";
    Addition ContextUpdatesAllowed (Service.allow_context_updates: Added) "updates of the context alone are accepted";

    Breaking PlanRemoved "the plan was removed"
        breaks "existing instances: they could not be updated or deleted, and the broker does not start while there are any"
        instead "restore it, as `retired`, or `hidden` in a file of overrides, if it should no longer be offered";
    Harmless PlanRetired (Plan.retired: Added) "the plan was retired";
    Harmless RetiredPlanRemoved "the retired plan was removed; the broker does not start where instances of it still exist";
    Breaking PlanIdChanged "the id of the plan changed"
        breaks "the platform, which sees a different plan, and existing instances: they belong to the old id"
        instead "restore the old id; if it should be a new plan, keep the old one beside it, as `retired`, or `hidden` in a file of overrides (CAT-30)";
    Breaking PlanMoved "the plan moved to another service"
        breaks "existing instances: a plan's id must always denote the same plan of the same service (CAT-30)"
        instead "give the plan in the other service a new id, and keep this one, as `retired`";
    Breaking PlanRenamed "the name of the plan changed"
        breaks "users: their commands, scripts and manifests use the name"
        instead "keep the name, and change `display_name` in `metadata`";
    Addition PlanAdded "the plan is new";
    Addition PlanSoldAgain (Plan.retired: Removed) "the plan is no longer retired";
    Breaking NoLongerFree (Plan.free: Removed) "the plan is no longer free"
        breaks "users, who would have to pay for existing instances, and the platform: quotas without paid plans refuse the plan"
        instead "offer the paid plan with a new id, and retire this one";
    Harmless NowFree (Plan.free: Added) "the plan is free now";
    Breaking BindabilityWithdrawn (Plan.bindable: Removed) "instances can no longer be bound"
        breaks "users, and existing bindings: they could not be deleted, and the broker does not start while there are any"
        instead "keep the plan bindable; a `retired` plan can be bindable, too";
    Addition BecomesBindable (Plan.bindable: Added) "instances can be bound";
    Breaking RotationWithdrawn (Plan.rotatable: Removed) "bindings can no longer be rotated"
        breaks "the platform, which rotates the credentials of running applications"
        instead "keep `rotatable`";
    Addition BecomesRotatable (Plan.rotatable: Added) "bindings can be rotated";
    Breaking AppDemanded (Plan.requires_app: Added) "bindings require an application"
        breaks "users: service keys, which have no application, are refused"
        instead "remove `requires_app`";
    Addition AppNoLongerDemanded (Plan.requires_app: Removed) "bindings no longer require an application";
    Breaking AlwaysAsynchronous (Plan.always_asynchronous: Added) "the operations are always asynchronous"
        breaks "platforms that do not accept asynchronous operations: they get `AsyncRequired` (ASY-05)"
        instead "leave the choice to the runtime, which waits for the result if the platform cannot poll";
    Harmless NoLongerAlwaysAsynchronous (Plan.always_asynchronous: Removed) "the operations are no longer always asynchronous";
    Breaking PollingShortened (Plan.maximum_polling_duration: Lowered) "the maximum polling duration is shorter"
        breaks "users: operations that take longer now fail, where they succeeded before"
        instead "keep `maximum_polling_duration`, or make it longer";
    Harmless PollingChanged (Plan.maximum_polling_duration: Added | Removed | Raised) "the maximum polling duration is longer, or was added or removed";
    Breaking MaintenanceRemoved (Plan.maintenance: Removed) "the maintenance version was removed"
        breaks "the platform: it has stored the version, and its upgrade requests are refused (MaintenanceInfoConflict)"
        instead "keep `maintenance_info`";
    Breaking MaintenanceLowered (Plan.maintenance: Lowered) "the maintenance version is lower"
        breaks "the platform, which offers users the older version as an upgrade"
        instead "choose a version that is higher than all earlier ones";
    Harmless MaintenanceRaised (Plan.maintenance: Raised | Changed) "the maintenance version changed; platforms offer the upgrade";
    Addition MaintenanceAdded (Plan.maintenance: Added) "the plan has a maintenance version";
    Breaking ChangeWithdrawn "instances can no longer change to another plan"
        breaks "users: `update-service -p` is refused"
        instead "keep the change in `changes`, or retire the target plan";
    Harmless ChangeEndedByRetirement "instances can no longer change to a plan that was retired";
    Addition ChangeAdded "instances can change to another plan";

    Breaking PropertyRemoved (Parameter.properties: Removed) "the property was removed"
        breaks "users: parameters with it are refused, in scripts and manifests"
        instead "keep it, and ignore it if necessary; if it was renamed, add `#[param(alias = \"...\")]` with the old name";
    Breaking AliasRemoved "an alias of the property was removed"
        breaks "users of the alias, and stored parameters that contain it"
        instead "keep the `alias`";
    Breaking PropertiesMerged "the property became an alias of a different property"
        breaks "users: parameters with both properties are refused"
        instead "keep it as a separate property";
    Breaking NameTaken "a name that was accepted and ignored now has a meaning"
        breaks "users who already send other values under this name, as unknown properties were accepted (`open`)"
        instead "choose an unused name, or accept it as `serde_json::Value`, or offer a new plan with its own id";
    Harmless PropertyRenamed "the property was renamed, and accepts the old name as an alias";
    Addition PropertyAdded (Parameter.properties: Added) "an optional property was added";
    Breaking RequiredAdded (Parameter.required: Added) "the property is required"
        breaks "users: parameters without it are refused; instances without it cannot be bound until an update sets it"
        instead "make it an `Option`, or give it a default";
    Addition RequiredDropped (Parameter.required: Removed) "the property is no longer required";
    Breaking DefaultChanged (Parameter.default: Changed) "the default changed"
        breaks "users and existing instances: values that they did not set change"
        instead "keep the default, and recommend the better value in the documentation";
    Breaking DefaultRemoved (Parameter.default: Removed) "the default was removed"
        breaks "users and existing instances: values that they did not set are now absent"
        instead "keep the default";
    Breaking DefaultAdded (Parameter.default: Added) "a default was added"
        breaks "users and existing instances, if an absent value had a different meaning"
        instead "keep the `Option`; if an absent value already meant the default, accept this with `lock`";
    Breaking ImmutableAdded "the property can no longer be changed"
        breaks "users: updates with it are refused"
        instead "remove `immutable`";
    Addition ImmutableDropped "the property can be changed by an update";
    Breaking SecretDropped (Parameter.secret: Removed) "the value is no longer secret"
        breaks "users: their secrets appear in fetched instances, messages and logs"
        instead "keep `secret`";
    Harmless SecretAdded (Parameter.secret: Added) "the value is secret now";
    Breaking NullRefused (Parameter.nullable: Removed) "`null` no longer resets the value"
        breaks "users: updates that reset it are refused"
        instead "keep the `Option` or the default";
    Addition NullAccepted (Parameter.nullable: Added) "`null` resets the value";
    Breaking TypeChanged (Parameter.type: Changed) "the type changed"
        breaks "users and existing instances: their values are refused, or read differently"
        instead "add a property of the new type beside this one";
    Addition TypeWidened (Parameter.type: Raised) "the type accepts additional values";
    Breaking ForeignChanged (Parameter.foreign: Changed) "the schema of a foreign type changed"
        breaks "users, unless the new schema accepts all old values, which is not analyzed"
        instead "compare the two schemas; if all old values are still valid, accept this with `lock`";
    Breaking MinimumRaised (Parameter.minimum: Added | Raised) "the minimum is higher"
        breaks "users: values that were accepted are refused, and so are updates of instances that have them"
        instead "keep the minimum; or offer the stricter one in a new plan with its own id, and retire this plan";
    Addition MinimumLowered (Parameter.minimum: Removed | Lowered) "the minimum is lower";
    Breaking MaximumLowered (Parameter.maximum: Added | Lowered) "the maximum is lower"
        breaks "users: values that were accepted are refused, and so are updates of instances that have them"
        instead "keep the maximum; or offer the stricter one in a new plan with its own id, and retire this plan";
    Addition MaximumRaised (Parameter.maximum: Removed | Raised) "the maximum is higher";
    Breaking MultipleTightened (Parameter.multiple_of: Added | Raised) "`multiple_of` was added or changed"
        breaks "users: values that were accepted are refused, and so are updates of instances that have them"
        instead "keep `multiple_of`, or use a divisor of it";
    Addition MultipleLoosened (Parameter.multiple_of: Removed | Lowered) "`multiple_of` was relaxed or removed";
    Breaking MinimumLengthRaised (Parameter.min_length: Added | Raised) "the minimum length is higher"
        breaks "users: values that were accepted are refused, and so are updates of instances that have them"
        instead "keep `length(min = ..)`";
    Addition MinimumLengthLowered (Parameter.min_length: Removed | Lowered) "the minimum length is lower";
    Breaking MaximumLengthLowered (Parameter.max_length: Added | Lowered) "the maximum length is lower"
        breaks "users: values that were accepted are refused, and so are updates of instances that have them"
        instead "keep `length(max = ..)`";
    Addition MaximumLengthRaised (Parameter.max_length: Removed | Raised) "the maximum length is higher";
    Breaking PatternChanged (Parameter.pattern: Added | Changed) "the pattern changed"
        breaks "users, unless it matches everything that the old pattern matched, which is undecidable in general"
        instead "keep the pattern; if all old values still match, accept this with `lock`";
    Addition PatternDropped (Parameter.pattern: Removed) "the pattern was removed";
    Breaking FormatChanged (Parameter.format: Added | Changed) "the format changed"
        breaks "users: values that were accepted are refused, and so are updates of instances that have them"
        instead "keep the format, or remove it";
    Addition FormatDropped (Parameter.format: Removed) "the format was removed";
    Breaking ValueRemoved (Parameter.values: Removed) (Parameter.one_of: Removed) "a value was removed"
        breaks "users: parameters with it are refused; instances with it cannot be bound"
        instead "keep the value, and treat it like the closest other one";
    Addition ValueAdded (Parameter.values: Added) (Parameter.one_of: Added) "a value was added";
    Breaking ValuesLimited (Parameter.one_of: Lowered) "only some values are accepted"
        breaks "users: values that were accepted are refused, and so are updates of instances that have them"
        instead "leave `one_of` out; or write it in a new plan with its own id, and retire this plan";
    Addition ValuesUnlimited (Parameter.one_of: Raised) "values outside of the list are accepted";
    Breaking UniqueAdded (Parameter.unique: Added) "duplicate elements are refused"
        breaks "users: lists that were accepted are refused, and so are updates of instances that have them"
        instead "remove `unique`, and ignore duplicates when the list is used";
    Addition UniqueDropped (Parameter.unique: Removed) "duplicate elements are accepted";
    Breaking Closed (Parameter.open: Removed) "unknown properties are refused"
        breaks "users: parameters with properties that were ignored are refused"
        instead "keep `open`";
    Addition Opened (Parameter.open: Added) "unknown properties are accepted";
    Breaking TagChanged (Parameter.tag: Changed) "another property selects the variant"
        breaks "users: every value that was accepted is refused"
        instead "keep the `tag`";
    Breaking VariantRemoved (Parameter.variants: Removed) "a variant was removed"
        breaks "users: parameters with it are refused; instances with it cannot be bound"
        instead "keep the variant, and treat it like the closest other one";
    Addition VariantAdded (Parameter.variants: Added) "a variant was added";

    Breaking CredentialRemoved (Credential.properties: Removed) "the credential was removed"
        breaks "applications, which do not find it in new bindings"
        instead "keep it beside its replacement";
    Breaking CredentialOptional (Credential.required: Removed) "the credential may be absent"
        breaks "applications, which expect it in every binding"
        instead "always return it, if necessary with a harmless value";
    Addition CredentialRequired (Credential.required: Added) "the credential is always present";
    Addition CredentialAdded (Credential.properties: Added) "a credential was added";
    Breaking CredentialTypeChanged (Credential.type: Changed) (Credential.tag: Changed) "the type of the credential changed"
        breaks "applications, which cannot read it in new bindings"
        instead "add a credential of the new type beside this one";
    Breaking CredentialConstantChanged (Credential.constant: Changed) "the value that the credential has in each binding changed"
        breaks "applications, which choose by it how they read the others"
        instead "keep the value, and offer the other one in a new plan with its own id";
    Breaking CredentialVariantAdded (Credential.variants: Added) "a variant of the credential was added"
        breaks "applications, which cannot read it in new bindings"
        instead "hand it out in a new plan with its own id, or in an optional credential beside this one";
    Harmless CredentialVariantRemoved (Credential.variants: Removed) "a variant of the credential is no longer handed out";
}

impl ChangeKind {
    /// Returns all kinds of changes.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|entry| entry.change)
    }

    /// Returns the kinds of changes of a member, each with its effects.
    pub(super) fn of(scope: Scope, member: &str) -> impl Iterator<Item = (Self, &'static [Effect])> + Clone {
        let members = TABLE.iter().flat_map(|entry| entry.members.iter().map(move |member| (entry.change, member)));
        let own = members.filter(move |(_, (of, name, _))| *name == member && *of == scope);
        own.map(|(change, (.., effects))| (change, *effects))
    }

    fn entry(self) -> &'static Entry {
        &TABLE[self as usize]
    }

    /// Returns the effect of the change.
    #[must_use]
    pub fn verdict(self) -> Verdict {
        self.entry().verdict
    }

    /// Returns a short description of the change.
    #[must_use]
    pub fn what(self) -> &'static str {
        self.entry().what
    }

    /// Returns the parties that the change breaks, and how; empty unless it is breaking.
    #[must_use]
    pub fn breaks(self) -> &'static str {
        self.entry().breaks
    }

    /// Returns a compatible alternative; empty unless the change is breaking.
    #[must_use]
    pub fn instead(self) -> &'static str {
        self.entry().instead
    }
}
