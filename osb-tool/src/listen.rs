//! Listening addresses.

use std::{
    io,
    net::{SocketAddr, TcpListener, ToSocketAddrs},
};

use super::Failure;

/// An address to listen at, and the option that sets it.
pub(super) struct Listen<'a> {
    address: &'a str,
    option: &'static str,
    addresses: Vec<SocketAddr>,
}

impl<'a> Listen<'a> {
    /// Resolves the address. `option` is the option and its variable, as in `--listen (OSB_LISTEN)`.
    pub(super) fn resolve(address: &'a str, option: &'static str) -> Result<Self, Failure> {
        let fix = format!("set {option} to another address, such as 0.0.0.0:8080");
        match address.to_socket_addrs() {
            Ok(found) if found.len() > 0 => Ok(Self { address, option, addresses: found.collect() }),
            Ok(_) => Err(Failure::Usage(format!("the address {address} can't be resolved\n  {fix}"))),
            // The name server can be unavailable for a time.
            Err(error) => Err(Failure::Broken(format!("the address {address} can't be resolved: {error}\n  {fix}"))),
        }
    }

    /// Returns whether only this machine can connect.
    pub(super) fn is_local(&self) -> bool {
        self.addresses.iter().all(|address| address.ip().is_loopback())
    }

    /// Starts listening.
    pub(super) fn bind(&self) -> Result<TcpListener, Failure> {
        let listener = TcpListener::bind(&*self.addresses).and_then(|listener| {
            listener.set_nonblocking(true)?;
            Ok(listener)
        });
        let option = self.option;
        listener.map_err(|error| {
            let fix = match error.kind() {
                io::ErrorKind::AddrInUse => {
                    format!(
                        "another program, or another option of this one, listens there; set {option} to another address"
                    )
                }
                io::ErrorKind::PermissionDenied => {
                    format!("ports below 1024 need privileges; set {option} to another address")
                }
                _ => format!("set {option} to another address, such as 127.0.0.1:8080"),
            };
            Failure::Broken(format!("cannot listen at {}: {error}\n  {fix}", self.address))
        })
    }
}
