//! The kinds of changes: one table of what each does to whom.

/// What a change does to those who rely on what there was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Something that worked does not any more, or means something else.
    Breaking,
    /// There is something new, and all that there was is as it was.
    Addition,
    /// Nobody is worse off.
    Harmless,
}

/// A kind of change, as read from the table.
struct Entry {
    change: ChangeKind,
    verdict: Verdict,
    /// What happened, as one reads it after the place.
    what: &'static str,
    /// Whom it breaks, and how.
    breaks: &'static str,
    /// What to write instead.
    instead: &'static str,
}

macro_rules! changes {
    ($(
        $(#[doc = $section:literal])*
        $verdict:ident $name:ident $what:literal $(breaks $breaks:literal instead $instead:literal)?;
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
            verdict: Verdict::$verdict,
            what: $what,
            breaks: concat!($($breaks)?),
            instead: concat!($($instead)?),
        }),*];
    };
}

changes! {
    Breaking ServiceRemoved "the service is gone"
        breaks "the platform, which keeps a service that it can neither sell nor remove, and the instances of it: the broker does not start while there are any"
        instead "keep it until the last instance is deleted";
    Breaking ServiceIdChanged "the service has another id"
        breaks "the platform, which takes it for another service, and the instances that exist: they belong to the old id"
        instead "take the old id again; an id is never changed (CAT-11)";
    Breaking ServiceRenamed "the service has another name"
        breaks "users: their commands, scripts and manifests name it"
        instead "keep the name, and change `display_name`";
    Harmless RetiredServiceRemoved "the service is gone, all of whose plans were retired; the broker does not start where there still are instances of it";
    Addition ServiceAdded "the service is new";
    Breaking IdReused "an id means something else than it did"
        breaks "the platform, which goes by the id: what it has of the one becomes the other"
        instead "give what is new an id of its own, which `uuidgen` makes (CAT-11, CAT-30)";
    Breaking NameReused "a name means something else than it did"
        breaks "users, whose commands, scripts and manifests name it, and platforms that keep what once had the name"
        instead "give what is new a name of its own; or, if only the id was to be another one, take the old id again";
    Breaking RequirementAdded "bindings need another permission of the platform"
        breaks "the platform: where operators have not allowed that, it refuses the catalog or the bindings"
        instead "offer what needs it as a service of its own";
    Harmless RequirementDropped "bindings need a permission less";
    Breaking InstancesNoLongerRetrievable "instances can no longer be fetched"
        breaks "the platform and users, who read parameters of instances"
        instead "keep `instances_retrievable`";
    Addition InstancesRetrievable "instances can be fetched";
    Breaking BindingsNoLongerRetrievable "bindings can no longer be fetched"
        breaks "the platform and users, who fetch credentials that were made in the background"
        instead "keep `bindings_retrievable`";
    Addition BindingsRetrievable "bindings can be fetched";
    Breaking ContextUpdatesWithdrawn "updates of nothing but the context are no longer taken"
        breaks "the platform, which tells of renamed organisations, spaces and instances that way"
        instead "keep `allow_context_updates`";
    Addition ContextUpdatesAllowed "updates of nothing but the context are taken";

    Breaking PlanRemoved "the plan is gone"
        breaks "the instances that exist: nobody could change or delete them, and the broker does not start while there are any"
        instead "bring it back, as `retired` if it is not to be sold";
    Harmless PlanRetired "the plan is not sold any more";
    Harmless RetiredPlanRemoved "the retired plan is gone; the broker does not start where there still are instances of it";
    Breaking PlanIdChanged "the plan has another id"
        breaks "the platform, which takes it for another plan, and the instances that exist: they are of the old id"
        instead "take the old id again; if it is to be another plan, keep the old one beside it, as `retired` (CAT-30)";
    Breaking PlanMoved "the plan has moved to another service"
        breaks "the instances that exist: a plan's id always is the same plan of the same service (CAT-30)"
        instead "give the plan there an id of its own, and keep this one, as `retired`";
    Breaking PlanRenamed "the plan has another name"
        breaks "users: their commands, scripts and manifests name it"
        instead "keep the name, and change `display_name` in `metadata`";
    Addition PlanAdded "the plan is new";
    Addition PlanSoldAgain "the plan is sold again";
    Breaking NoLongerFree "the plan is no longer free"
        breaks "users, who pay for what they have, and the platform: quotas without paid plans refuse it"
        instead "sell it as a plan with an id of its own, and retire this one";
    Harmless NowFree "the plan is free now";
    Breaking BindabilityWithdrawn "instances can no longer be bound"
        breaks "users, and bindings that exist: nothing could unbind them, and the broker does not start while there are any"
        instead "keep it bindable; a `retired` plan can be, too";
    Addition BecomesBindable "instances can be bound";
    Breaking RotationWithdrawn "bindings can no longer be replaced by new ones"
        breaks "the platform, which rotates credentials of applications that run"
        instead "keep `rotatable`";
    Addition BecomesRotatable "bindings can be replaced by new ones";
    Breaking AppDemanded "a binding needs an application"
        breaks "users: service keys, which have none, are refused"
        instead "take `requires_app` out";
    Addition AppNoLongerDemanded "a binding needs no application";
    Breaking AlwaysAsynchronous "the operations became asynchronous always"
        breaks "platforms that do not take that: they are refused with `AsyncRequired` (ASY-05)"
        instead "leave it to the runtime, which waits for platforms that cannot poll";
    Harmless NoLongerAlwaysAsynchronous "the operations are no longer asynchronous always";
    Breaking PollingShortened "platforms give up on operations earlier"
        breaks "users: what takes longer ends as failed where it succeeded"
        instead "keep `maximum_polling_duration`, or make it longer";
    Harmless PollingChanged "platforms have another time to wait for operations, or their own";
    Breaking MaintenanceRemoved "the maintenance version is gone"
        breaks "the platform: it has the version stored, and an upgrade that it asks for is refused (MaintenanceInfoConflict)"
        instead "keep `maintenance_info`";
    Breaking MaintenanceLowered "the maintenance version is lower"
        breaks "the platform, which offers users the older version as an upgrade"
        instead "take a version that is higher than any before";
    Harmless MaintenanceRaised "the maintenance version is another one; platforms offer the upgrade";
    Addition MaintenanceAdded "the plan has a maintenance version";
    Breaking ChangeWithdrawn "instances can no longer move to another plan"
        breaks "users: `update-service -p` is refused"
        instead "keep the change in `changes`; or retire the plan that nobody shall move to";
    Harmless ChangeEndedByRetirement "instances can no longer move to a plan that is retired";
    Addition ChangeAdded "instances can move to another plan";

    Breaking PropertyRemoved "the property is gone"
        breaks "users: parameters that have it are refused, in scripts and manifests"
        instead "keep it, and ignore it if need be; if it has another name now, write `#[param(alias = \"...\")]` with the old one there";
    Breaking AliasRemoved "a former name of the property is no longer understood"
        breaks "users of the former name, and stored parameters that have it"
        instead "keep the `alias`";
    Breaking PropertiesMerged "the property has become another name of a different one"
        breaks "users: parameters that have both are refused"
        instead "keep it as a property of its own";
    Breaking NameTaken "a name that was accepted and ignored means something now"
        breaks "users who send it with any other value, as other properties were accepted (`open`)"
        instead "choose a name that nobody sends, or accept it as `serde_json::Value`, with an id of its own for the plan";
    Harmless PropertyRenamed "the property has another name, and is understood by the old one";
    Addition PropertyAdded "the property is new, and may be left out";
    Breaking RequiredAdded "the property has to be given"
        breaks "users: parameters without it are refused; instances that lack it cannot be bound until an update has set it"
        instead "make it an `Option`, or give it a default";
    Addition RequiredDropped "the property may be left out";
    Breaking DefaultChanged "the default is another one"
        breaks "users and instances that exist: what they have not set changes with it"
        instead "keep the default, and advise the better value in the documentation";
    Breaking DefaultRemoved "there is no default any more"
        breaks "users and instances that exist: what they have not set had a value, and has none"
        instead "keep the default";
    Breaking DefaultAdded "there is a default where there was none"
        breaks "users and instances that exist, if having no value meant anything else"
        instead "keep the `Option`; if the default is what its absence meant, lock that";
    Breaking ImmutableAdded "the property can no longer be changed"
        breaks "users: updates that have it are refused"
        instead "take `immutable` out";
    Addition ImmutableDropped "the property can be changed by an update";
    Breaking SecretDropped "the value is no longer secret"
        breaks "users: what they gave as a secret shows in fetches, messages and logs"
        instead "keep `secret`";
    Harmless SecretAdded "the value is a secret now";
    Breaking NullRefused "`null` no longer resets the value"
        breaks "users: updates that reset it are refused"
        instead "keep the `Option` or the default";
    Addition NullAccepted "`null` resets the value";
    Breaking TypeChanged "the value is of another type"
        breaks "users and instances that exist: what they have is refused, or read as something else"
        instead "add a property of the new type beside this one";
    Addition TypeWidened "the type takes all values that it took, and others";
    Breaking ForeignChanged "the schema of a type from elsewhere is another one"
        breaks "users, unless it only accepts more, which is not looked into"
        instead "compare the two schemas; if what was valid still is, lock that";
    Breaking MinimumRaised "the minimum is higher"
        breaks "users: values that were accepted are refused, and so are updates of instances that have them"
        instead "keep the minimum; or sell the tighter one as a plan with an id of its own, and retire this one";
    Addition MinimumLowered "the minimum is lower";
    Breaking MaximumLowered "the maximum is lower"
        breaks "users: values that were accepted are refused, and so are updates of instances that have them"
        instead "keep the maximum; or sell the tighter one as a plan with an id of its own, and retire this one";
    Addition MaximumRaised "the maximum is higher";
    Breaking MultipleTightened "the value has to be a multiple of something else"
        breaks "users: values that were accepted are refused, and so are updates of instances that have them"
        instead "keep `multiple_of`, or take a divisor of it";
    Addition MultipleLoosened "the value may be a multiple of less, or anything";
    Breaking MinimumLengthRaised "the least length is higher"
        breaks "users: values that were accepted are refused, and so are updates of instances that have them"
        instead "keep `length(min = ..)`";
    Addition MinimumLengthLowered "the least length is lower";
    Breaking MaximumLengthLowered "the greatest length is lower"
        breaks "users: values that were accepted are refused, and so are updates of instances that have them"
        instead "keep `length(max = ..)`";
    Addition MaximumLengthRaised "the greatest length is higher";
    Breaking PatternChanged "the pattern is another one"
        breaks "users, unless it matches all that the old one did, which nobody can decide in general"
        instead "keep the pattern; if what matched still does, lock that";
    Addition PatternDropped "there is no pattern any more";
    Breaking FormatChanged "the format is another one"
        breaks "users: values that were accepted are refused, and so are updates of instances that have them"
        instead "keep the format, or take none";
    Addition FormatDropped "there is no format any more";
    Breaking ValueRemoved "a value is gone"
        breaks "users: parameters that have it are refused; instances that have it cannot be bound"
        instead "keep the value, and do what comes next to it";
    Addition ValueAdded "a value is new";
    Breaking UniqueAdded "no element may be there twice"
        breaks "users: lists that were accepted are refused, and so are updates of instances that have them"
        instead "take `unique` out, and leave doubles out when the list is used";
    Addition UniqueDropped "elements may be there twice";
    Breaking Closed "other properties are refused"
        breaks "users: parameters with properties that were ignored are refused"
        instead "keep `open`";
    Addition Opened "other properties are accepted";
    Breaking TagChanged "variants are told apart by another property"
        breaks "users: every value that was accepted is refused"
        instead "keep the `tag`";
    Breaking VariantRemoved "a variant is gone"
        breaks "users: parameters that have it are refused; instances that have it cannot be bound"
        instead "keep the variant, and do what comes next to it";
    Addition VariantAdded "a variant is new";

    Breaking CredentialRemoved "the credential is gone"
        breaks "applications, which do not find it in new bindings"
        instead "keep it, beside what shall replace it";
    Breaking CredentialOptional "the credential may be absent"
        breaks "applications, which rely on finding it in new bindings"
        instead "hand it out always, with a value that does no harm if need be";
    Addition CredentialRequired "the credential is always there";
    Addition CredentialAdded "the credential is new";
    Breaking CredentialTypeChanged "the credential is of another type"
        breaks "applications, which cannot read it in new bindings"
        instead "add a credential of the new type beside this one";
}

impl ChangeKind {
    /// Every kind there is.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|entry| entry.change)
    }

    fn entry(self) -> &'static Entry {
        &TABLE[self as usize]
    }

    /// What it does to those who rely on what there was.
    #[must_use]
    pub fn verdict(self) -> Verdict {
        self.entry().verdict
    }

    /// What happened, in a few words.
    #[must_use]
    pub fn what(self) -> &'static str {
        self.entry().what
    }

    /// Whom it breaks, and how; empty if it breaks nobody.
    #[must_use]
    pub fn breaks(self) -> &'static str {
        self.entry().breaks
    }

    /// What to write instead; empty if it breaks nobody.
    #[must_use]
    pub fn instead(self) -> &'static str {
        self.entry().instead
    }
}
