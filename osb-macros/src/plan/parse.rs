//! The arguments of `#[plan]`, as the author wrote them.

use proc_macro2::TokenStream;

use super::{
    asynchronous::RawAsynchronous, maintenance::RawMaintenance, metadata::RawPlanMetadata, narrow::RawNarrow,
    polling::PollingDuration,
};
use crate::{
    args::{Arguments, Flag, Given, Hint, Nested, Text, TypeName, arguments},
    errors::Errors,
    metadata::RawExtensions,
    runtime::Runtime,
};

arguments! {
    /// The arguments of `#[plan]`.
    pub(super) struct RawPlan {
        /// `id = "..."` | The id by which platforms know the plan; it never changes. Should be a GUID; otherwise the
        /// compiler warns. | required | CAT-30
        id: Given<Text>,
        /// `name = "..."` | The name that users type: letters, digits, `.` and `-`, or the compiler warns; at most
        /// 255 characters; unique in the service. | required | CAT-31, CAT-06
        name: Given<Text>,
        /// `description = "..."` | The text that users read; at most 10,000 characters, a warning above 255.
        /// | the doc comment's first paragraph; one of the two is required | CAT-32
        description: Given<Text>,
        /// `free` | Whether the plan is free of charge: `free = false` if it has a price. Required with
        /// `costs`. | `true` | CAT-34
        free: Given<Flag>,
        /// `family = Type` | The plan is a family: a deployment lists its plans in a file, each with values of this type, a
        /// type with `#[parameters]`. `name` is the name by which the file refers to the family, and there is no `id`;
        /// see below. | one plan
        family: Given<TypeName>,
        /// `create = Type` | The parameters of a new instance, a type with `#[parameters]`. | no parameters | CAT-50
        create: Given<TypeName>,
        /// `update = Type` | The parameters of an update; requires `impl Update<Plan>`. | no parameters | CAT-50
        update: Given<TypeName>,
        /// `narrow(property(max = 20), ...)` | Narrower bounds of this plan for parameters of `create`, and of `update`
        /// too; see below. | those of the type | CAT-50
        narrow: Given<RawNarrow>,
        /// `bind = Type` | The parameters of a binding; makes the plan bindable, and requires `impl Bind<Plan>`.
        /// | no parameters | CAT-50
        bind: Given<TypeName>,
        /// `bindable` | The plan is bindable, and its bindings take no parameters; requires `impl Bind<Plan>`.
        /// | `true` with `bind`, else `false` | CAT-35
        bindable: Given<Flag>,
        /// `rotatable` | A new binding can replace an old one, which platforms do before the old one
        /// [expires](crate::service::Bound::expires_at); for bindable plans. | `false` | CAT-36
        rotatable: Given<Flag>,
        /// `requires_app` | A binding needs an application; for bindable plans. | `false` | BIND-12
        requires_app: Given<Flag>,
        /// `retired` | The catalog hides the plan; its instances keep it, and only new ones are refused. See
        /// [when types change](mod@crate::service#when-types-change). | `false` | CAT-22
        retired: Given<Flag>,
        /// `asynchronous(instances = ..., bindings = ...)` | Whether the broker answers 202 before the operation has
        /// finished; see below. | depends on the duration of the work | ASY-03
        asynchronous: Given<Nested<RawAsynchronous>>,
        /// `maximum_polling_duration = 7200` | The number of seconds for which the platform polls an operation before
        /// it counts as failed; also `"2h"`, with `s`, `m`, `h` or `d`. The compiler warns below 60, because Cloud Foundry
        /// counts whole minutes, and above 7 days, because it polls no longer than that. | the platform's limit | CAT-39
        maximum_polling_duration: Given<PollingDuration>,
        /// `maintenance_info(version = "...", description = "...")` | The semantic version of the software under the
        /// plan, and the effect of maintenance on users; at most 2,000 characters of JSON; requires
        /// `impl Update<Plan>`. | none | CAT-40
        maintenance_info: Given<Nested<RawMaintenance>>,
        /// `metadata(...)` | See below. | none | CAT-33
        metadata: Given<Nested<RawPlanMetadata>>,
        /// `extensions("name": value)` | Fields that are not in the specification, as JSON; their names should have a
        /// prefix. | none | EXT-02
        extensions: Given<Nested<RawExtensions>>,
    }
}

impl RawPlan {
    pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> (Runtime, Self) {
        let mut args = Arguments::of_attribute(tokens, errors);
        if let Some(types) = args.take_types() {
            let help = format_args!(
                "write `create = {types}` if it is the parameters of new instances, `update = ...` for updates, or `bind = ...` for bindings"
            );
            errors.help(&types, "expected an argument, not a type", help);
        }
        let mut raw: Self = args.take();
        let runtime = Runtime::take(&mut args, errors);
        let unknown = args.finish("`#[plan]`", HINTS, errors);
        unknown.adopt(&mut raw);
        // A price without `free` would be a second mistake, and so would a `family` without its type.
        if !raw.free.is_mentioned() && ["paid", "not_free", "price"].iter().any(|name| unknown.has(name)) {
            raw.free = Given::Wrong(Errors::default());
        }
        // `narrow` without `create`, which has another name here, would be one too.
        if !raw.create.is_mentioned() && ["parameters", "provision"].iter().any(|name| unknown.has(name)) {
            raw.create = Given::Wrong(Errors::default());
        }
        if unknown.has("values") && !raw.id.is_mentioned() {
            raw.family = Given::Wrong(Errors::default());
        }
        (runtime, raw)
    }
}

const LIMIT: &str = "check it in the handler, which refuses an instance with `ProvisionError::refused(\"...\")`";

const OF_PARAMETERS: &str = "it belongs in the `#[parameters(...)]` of a type that the plan names";

const HINTS: &[Hint] = &[
    ("plan_updateable", "whether a plan can be left follows from the service's `changes(Old => New)`"),
    ("binding_rotatable", "write `rotatable`"),
    ("schemas", "schemas follow from the types: `create = ...`, `update = ...`, `bind = ...`"),
    ("parameters", "write `create = Type` for new instances, `update = Type` for updates, `bind = Type` for bindings"),
    ("provision", "write `create = Type` for the parameters of new instances"),
    ("credentials", "they are the output of `Bind`: write `bindable`"),
    ("service", "the service lists it: `#[service(..., plans(Plan))]`"),
    ("order", "the order of plans is that of the service's `plans(...)`"),
    ("quota", LIMIT),
    ("max_instances", LIMIT),
    ("version", "write `maintenance_info(version = \"...\")`"),
    ("instances", "write `asynchronous(instances = ...)`"),
    ("bindings", "write `asynchronous(bindings = ...)`"),
    ("paid", "write `free = false`"),
    ("not_free", "write `free = false`"),
    ("public", "users see the plan once the platform's administrator lets them: `cf enable-service-access`"),
    ("active", "write `retired` for a plan that no new instance can have"),
    ("hidden", "write `retired`; to hide the plan in one deployment, write `hidden = true` into its file"),
    ("title", "the name for people is `metadata(display_name = \"...\")`"),
    ("display_name", "it belongs in `metadata(display_name = \"...\")`"),
    ("bullets", "they belong in `metadata(bullets(\"...\"))`"),
    ("costs", "they belong in `metadata(costs((usd = 9.90, unit = \"MONTHLY\")))`"),
    ("requires", "it follows from the output type of `Bind`"),
    ("partial", OF_PARAMETERS),
    ("rename_all", OF_PARAMETERS),
    ("open", OF_PARAMETERS),
    ("type", "the credentials have it: `#[credentials(type = \"...\")]`"),
    ("dashboard_client", "it belongs in `#[service(dashboard_client(...))]`"),
    ("tags", "they belong in `#[service(tags(\"...\"))]`"),
    ("instances_retrievable", "it belongs in `#[service(instances_retrievable = ...)]`"),
    ("bindings_retrievable", "it belongs in `#[service(bindings_retrievable = ...)]`"),
    ("changes", "they belong in `#[service(changes(Old => New))]`"),
    ("updatable", "write `update = Type` for parameters, or `maintenance_info(version = \"...\")`"),
    ("deprecated", "write `retired`: the catalog hides the plan, and its instances keep it"),
    ("values", "write `family = Type`: the deployment's file has the values of each plan"),
    ("poll", "write `maximum_polling_duration = \"2h\"`"),
    ("polling", "write `maximum_polling_duration = \"2h\"`"),
    ("currency", "it belongs in `metadata(costs((usd = 9.90, unit = \"MONTHLY\")))`"),
    ("price", "write `free = false` and `metadata(costs((usd = 9.90, unit = \"MONTHLY\")))`"),
    ("accepts_incomplete", "write `asynchronous(instances = always)`, `asynchronous(bindings = always)` or both"),
    ("async", "write `asynchronous(instances = always)`, `asynchronous(bindings = always)` or both"),
    ("synchronous", "write `asynchronous(instances = never)`, `asynchronous(bindings = never)` or both"),
];

#[cfg(test)]
mod tests {
    use super::{super::narrow::RawBounds, RawPlan, RawPlanMetadata};
    use crate::{
        args::{ArgumentList, tables},
        runtime::RawRuntime,
    };

    #[test]
    fn documentation_lists_the_arguments() {
        tables::compare("plan.md", "Arguments", &[RawPlan::ROWS, RawRuntime::ROWS]);
        tables::compare("plan.md", "Plans that differ in numbers", &[RawBounds::ROWS]);
        tables::compare("plan.md", "Metadata", &[RawPlanMetadata::ROWS, crate::metadata::OTHER_ROWS]);
    }
}
