//! A broker in two releases, for upgrades of replicas one by one. The second release has one more plan, another name for a
//! parameter, and another state. `STORES_RELEASE=2` starts it.

use std::process::ExitCode;

/// The common parts of both releases: the handlers check that nothing of the instance was lost.
macro_rules! release {
    ([$($plan:ident),+], $size:ident) => {
        use std::time::Duration;

        use osb_runtime::prelude::*;
        use serde::{Deserialize, Serialize};
        use serde_json::Value;

        /// Stores, for tests.
        #[service(id = "7d6c3a70-8a4e-4f0b-9d3c-51b7e0a4c601", name = "stores", plans($($plan),+))]
        #[derive(Debug)]
        pub(crate) struct Stores;

        /// The common bounds of the plans.
        pub(crate) trait StorePlan: Plan<Create = NewStore, Update = StoreChanges> + Bindable {}
        $(impl StorePlan for $plan {})+

        /// A basic plan.
        #[plan(
            id = "7d6c3a70-8a4e-4f0b-9d3c-51b7e0a4c602",
            name = "basic",
            create = NewStore,
            update = StoreChanges,
            bindable
        )]
        #[derive(Debug)]
        pub(crate) struct Basic;

        /// The credentials of a binding.
        #[credentials]
        pub(crate) struct Key {
            /// The name of the store.
            pub(crate) store: String,
        }

        impl<P: StorePlan> Provision<P> for Stores {
            type State = Store;
            const STATE_VERSION: u32 = VERSION;

            fn migrate_state(version: u32, state: Value) -> Result<Store, BoxError> {
                migrate(version, state)
            }

            async fn provision(
                &self,
                request: ProvisionRequest<P>,
                operation: &Operation<Store>,
            ) -> Result<Provisioned<Store>, ProvisionError> {
                let store = operation.checkpointed().unwrap_or_else(|| Store::new(request.id()));
                operation.checkpoint(&store).await?;
                tokio::time::sleep(Duration::from_millis(request.parameters.pause.into())).await;
                Ok(Provisioned::new(store))
            }

            async fn deprovision(
                &self,
                request: DeprovisionRequest<P, Store>,
                _: &Operation<Store>,
            ) -> Result<(), DeprovisionError> {
                let (id, size) = (request.id().to_owned(), request.parameters.decoded().map(|new| new.$size));
                let name = request.state.decoded()?.map(|store| store.name().to_owned());
                if size.is_none() || name.as_ref().is_some_and(|name| *name != id) {
                    return Err(format!("{id} has the size {size:?}, and the state of {name:?}").into());
                }
                Ok(())
            }
        }

        impl<P: StorePlan + Updatable> Update<P> for Stores {
            async fn update(
                &self,
                request: UpdateRequest<P, P, Store>,
                _: &Operation<Store>,
            ) -> Result<Updated<Store>, UpdateError> {
                if request.state.name() != request.id() {
                    return Err(format!("{} has the state of {}", request.id(), request.state.name()).into());
                }
                tokio::time::sleep(Duration::from_millis(request.parameters.pause.into())).await;
                Ok(Updated::new(request.state))
            }
        }

        impl<P: StorePlan> Bind<P> for Stores {
            type Output = Credentials<Key>;
            type BindingState = ();

            async fn bind(
                &self,
                request: BindRequest<P, Store>,
                _: &Operation,
            ) -> Result<Bound<Credentials<Key>>, BindError> {
                Ok(Bound::new(Credentials(Key { store: request.instance_state.name().to_owned() }), ()))
            }

            async fn unbind(&self, _: UnbindRequest<P, Store>, _: &Operation) -> Result<(), UnbindError> {
                Ok(())
            }
        }

        /// The broker.
        #[broker]
        #[derive(Debug)]
        pub(crate) struct Broker {
            /// The service.
            pub(crate) stores: Stores,
        }
    };
}

mod first {
    release!([Basic], size);

    const VERSION: u32 = 1;

    /// The parameters of a new store.
    #[parameters(partial = StoreChanges)]
    #[derive(Debug)]
    pub(crate) struct NewStore {
        /// The size in GB. The next release, which runs beside this one for a while, has the other name.
        #[param(range(min = 1, max = 1_000_000), alias = "gigabytes")]
        pub(crate) size: u32,
        /// Milliseconds that the handler takes.
        #[param(range(max = 10_000), default = 0)]
        pub(crate) pause: u32,
    }

    /// The state of a store: its name.
    #[derive(Debug, Serialize, Deserialize)]
    pub(crate) struct Store(String);

    impl Store {
        fn new(id: &str) -> Self {
            Self(id.to_owned())
        }

        fn name(&self) -> &str {
            &self.0
        }
    }

    /// Reads the states of the next release too, which are written as long as both releases run.
    fn migrate(version: u32, state: Value) -> Result<Store, BoxError> {
        match (version, state["name"].as_str()) {
            (2, Some(name)) => Ok(Store::new(name)),
            _ => Err(format!("version {version} is not known").into()),
        }
    }
}

mod second {
    release!([Basic, Large], gigabytes);

    const VERSION: u32 = 2;

    /// A plan that the first release doesn't have.
    #[plan(
        id = "7d6c3a70-8a4e-4f0b-9d3c-51b7e0a4c603",
        name = "large",
        create = NewStore,
        update = StoreChanges,
        bindable
    )]
    #[derive(Debug)]
    pub(crate) struct Large;

    /// The parameters of a new store.
    #[parameters(partial = StoreChanges)]
    #[derive(Debug)]
    pub(crate) struct NewStore {
        /// The size in GB.
        #[param(range(min = 1, max = 1_000_000), alias = "size")]
        pub(crate) gigabytes: u32,
        /// Milliseconds that the handler takes.
        #[param(range(max = 10_000), default = 0)]
        pub(crate) pause: u32,
    }

    /// The state of a store.
    #[derive(Debug, Serialize, Deserialize)]
    pub(crate) struct Store {
        name: String,
        shard: u32,
    }

    impl Store {
        fn new(id: &str) -> Self {
            Self { name: id.to_owned(), shard: 7 }
        }

        fn name(&self) -> &str {
            &self.name
        }
    }

    fn migrate(version: u32, state: Value) -> Result<Store, BoxError> {
        match version {
            1 => Ok(Store { name: serde_json::from_value(state)?, shard: 0 }),
            _ => Err(format!("version {version} is not known").into()),
        }
    }
}

fn main() -> ExitCode {
    match std::env::var("STORES_RELEASE").as_deref() {
        Ok("2") => osb_tool::run(async |()| Ok(second::Broker { stores: second::Stores })),
        _ => osb_tool::run(async |()| Ok(first::Broker { stores: first::Stores })),
    }
}
