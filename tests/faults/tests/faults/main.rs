//! Brokers as processes that are killed, stopped, cut off and upgraded, and whose files are damaged.
//!
//! One program, because its tests mostly wait, for leases for example, and Cargo runs programs one after another.

mod crash;
mod damage;
mod home;
mod replicas;
mod start;
mod takeover;

fn number(name: &str, default: u32) -> u32 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number")))
}
