//! The arguments of `#[service]`, as the author wrote them.

use proc_macro2::TokenStream;

use super::{changes::ChangeList, dashboard_client::RawDashboardClient, metadata::RawServiceMetadata, plans::PlanList};
use crate::{
    args::{Arguments, Flag, Given, Hint, Nested, Strings, Text, arguments},
    errors::Errors,
    metadata::RawExtensions,
    runtime::Runtime,
};

arguments! {
    /// The arguments of `#[service]`.
    pub(super) struct RawService {
        /// `id = "..."` | The id by which platforms know the service; it never changes. Should be a GUID; otherwise the
        /// compiler warns. | required | CAT-11
        id: Given<Text>,
        /// `name = "..."` | The name that users type: letters, digits, `.` and `-`, or the compiler warns; at most
        /// 255 characters; unique in the broker. | required | CAT-10, CAT-06
        name: Given<Text>,
        /// `description = "..."` | The text that users read; at most 10,000 characters, a warning above 255.
        /// | the doc comment's first paragraph; one of the two is required | CAT-12
        description: Given<Text>,
        /// `plans(Type, ...)` | The plans, types with [`#[plan]`](macro@crate::plan); at least one that is not retired.
        /// Their names and ids differ. | required | CAT-22, CAT-30, CAT-31
        plans: Given<PlanList>,
        /// `changes(Old => New, ...)` | The changes of plan that users can make; each requires
        /// `impl ChangePlan<Old, New>`. A parameter that the new plan requires has to be one of the old plan's, or of the
        /// new plan's updates. | none | CAT-21, CAT-37
        changes: Given<ChangeList>,
        /// `tags("...", ...)` | Words by which applications find the service's credentials; at most 2,048 characters
        /// together. | none | CAT-13
        tags: Given<Strings>,
        /// `metadata(...)` | See below. | none | CAT-19
        metadata: Given<Nested<RawServiceMetadata>>,
        /// `dashboard_client(id = "...", secret_env = "...", redirect_uri = "...")` | The OAuth client of the service's
        /// dashboard: its id, unique in the broker, the environment variable with its secret, and the URL to which
        /// users return. All three are required. | none | PROF-20
        dashboard_client: Given<Nested<RawDashboardClient>>,
        /// `instances_retrievable` | Whether platforms can fetch instances. | `true` | CAT-16
        instances_retrievable: Given<Flag>,
        /// `bindings_retrievable` | Whether platforms can fetch bindings. If not, bindings are never created
        /// asynchronously: platforms could not get the credentials. | `true` if a plan is bindable | CAT-17
        bindings_retrievable: Given<Flag>,
        /// `allow_context_updates` | Whether an update may contain a new context and nothing else. | `false` | CAT-18
        allow_context_updates: Given<Flag>,
        /// `extensions("name": value)` | Fields that are not in the specification, as JSON; their names should have a
        /// prefix. | none | EXT-02
        extensions: Given<Nested<RawExtensions>>,
    }
}

impl RawService {
    pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> (Runtime, Self) {
        let mut args = Arguments::of_attribute(tokens, errors);
        if let Some(types) = args.take_types() {
            let others = if args.has("plans") { "..., " } else { "" };
            errors.help(&types, "expected an argument, not a type", format_args!("write `plans({others}{types})`"));
            args.assume("plans", types);
        }
        let mut raw: Self = args.take();
        let runtime = Runtime::take(&mut args, errors);
        args.finish("`#[service]`", HINTS, errors).adopt(&mut raw);
        (runtime, raw)
    }
}

const HINTS: &[Hint] = &[
    ("plan_updateable", "it follows from `changes(Old => New)` (and the specification does spell it with that e)"),
    ("bindable", "it follows from the plans: `#[plan(..., bindable)]` or `#[plan(..., bind = Parameters)]`"),
    ("requires", "it follows from the output type of `Bind`: `LogDrain`, `RouteService`, `VolumeMounts`"),
    ("upgrade", "write `changes(Old => New)`"),
    ("retrievable", "write `instances_retrievable = false`, `bindings_retrievable = false` or both"),
    ("schemas", "schemas follow from the plans' parameter types"),
    ("binding_rotatable", "it is a plan's: `#[plan(..., rotatable)]`"),
    ("rotatable", "it is a plan's: `#[plan(..., rotatable)]`"),
    ("create", "it is a plan's: `#[plan(..., create = Parameters)]`"),
    ("credentials", "they are the output of `Bind`: `type Output = Credentials<Access>`"),
    ("state", "it is a type of the handlers: `type State = ...` in `impl Provision<Plan> for Service`"),
    ("update", "it is a plan's: `#[plan(..., update = Parameters)]`"),
    ("bind", "it is a plan's: `#[plan(..., bind = Parameters)]`"),
    ("free", "it is a plan's: `#[plan(..., free = false)]`"),
    ("retired", "it is a plan's: `#[plan(..., retired)]`"),
    ("family", "it is a plan's: `#[plan(..., family = Type)]`"),
    ("rename_all", "it belongs in `#[parameters(rename_all = \"...\")]` or `#[credentials(rename_all = \"...\")]`"),
    ("narrow", "it is a plan's: `#[plan(..., narrow(property(max = 20)))]`"),
    ("asynchronous", "it is a plan's: `#[plan(..., asynchronous(instances = always))]`"),
    ("maximum_polling_duration", "it is a plan's: `#[plan(..., maximum_polling_duration = \"2h\")]`"),
    ("requires_app", "it is a plan's: `#[plan(..., requires_app)]`"),
    ("costs", "they are a plan's: `#[plan(..., metadata(costs((usd = 9.90, unit = \"MONTHLY\"))))]`"),
    ("bullets", "they are a plan's: `#[plan(..., metadata(bullets(\"...\")))]`"),
    ("maintenance_info", "it is a plan's: `#[plan(..., maintenance_info(version = \"...\"))]`"),
    ("deny", "it belongs in `#[broker(deny(...))]`"),
    ("dynamic", "it belongs in `#[broker(dynamic)]`"),
    ("lock", "it belongs in `#[broker(lock)]`"),
    ("version", "a version is a plan's: `#[plan(..., maintenance_info(version = \"...\"))]`"),
    ("provider", "it belongs in `metadata(provider_display_name = \"...\")`"),
    ("title", "the name for people is `metadata(display_name = \"...\")`"),
    ("display_name", "it belongs in `metadata(display_name = \"...\")`"),
    ("image_url", "it belongs in `metadata(image_url = \"...\")`"),
    ("long_description", "it belongs in `metadata(long_description = \"...\")`"),
    ("documentation_url", "it belongs in `metadata(documentation_url = \"...\")`"),
    ("support_url", "it belongs in `metadata(support_url = \"...\")`"),
    ("shareable", "it belongs in `metadata(shareable)`"),
];

#[cfg(test)]
mod tests {
    use super::{RawService, RawServiceMetadata};
    use crate::{
        args::{ArgumentList, tables},
        runtime::RawRuntime,
    };

    #[test]
    fn documentation_lists_the_arguments() {
        tables::compare("service.md", "Arguments", &[RawService::ROWS, RawRuntime::ROWS]);
        tables::compare("service.md", "Metadata", &[RawServiceMetadata::ROWS, crate::metadata::OTHER_ROWS]);
    }
}
