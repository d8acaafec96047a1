#![doc = include_str!("index.md")]

pub mod first_broker {
    #![doc = include_str!("first_broker.md")]
}
pub mod parameters {
    #![doc = include_str!("parameters.md")]
}
pub mod plans {
    #![doc = include_str!("plans.md")]
}
pub mod deployment_plans {
    #![doc = include_str!("deployment_plans.md")]
}
pub mod bindings {
    #![doc = include_str!("bindings.md")]
}
pub mod slow_work {
    #![doc = include_str!("slow_work.md")]
}
pub mod changing_types {
    #![doc = include_str!("changing_types.md")]
}
pub mod stores {
    #![doc = include_str!("stores.md")]
}
pub mod replicas {
    #![doc = include_str!("replicas.md")]
}
pub mod security {
    #![doc = include_str!("security.md")]
}
pub mod operating {
    #![doc = include_str!("operating.md")]
}
pub mod testing {
    #![doc = include_str!("testing.md")]
}
pub mod older_platforms {
    #![doc = include_str!("older_platforms.md")]
}
pub mod existing_broker {
    #![doc = include_str!("existing_broker.md")]
}
pub mod from_brokerapi {
    #![doc = include_str!("from_brokerapi.md")]
}
pub mod from_spring {
    #![doc = include_str!("from_spring.md")]
}
