//! The broker: the catalog, and the handlers for databases and logins.

use osb_runtime::prelude::*;

use crate::{
    server::{Limits, Server, Session},
    sql::Name,
};

/// A PostgreSQL database of your own, with a login for each binding.
#[service(
    id = "0b0f6d1e-3f0c-4c43-9f5e-6d1c2a8f4e01",
    name = "postgresql",
    tags("postgresql", "relational"),
    plans(Small, Large),
    changes(Small => Large, Large => Small),
)]
#[derive(Debug)]
pub struct Databases {
    server: Server,
    host: String,
    port: u16,
}

/// 10 connections and 100 MB, for trying things out. A database beyond that becomes read-only.
#[plan(
    id = "0b0f6d1e-3f0c-4c43-9f5e-6d1c2a8f4e02",
    name = "small",
    create = NewDatabase,
    update = DatabaseChanges,
    bindable,
    rotatable,
)]
pub struct Small;

/// 50 connections and 10 GB. A database beyond that becomes read-only.
#[plan(
    id = "0b0f6d1e-3f0c-4c43-9f5e-6d1c2a8f4e03",
    name = "large",
    free = false,
    create = NewDatabase,
    update = DatabaseChanges,
    bindable,
    rotatable,
)]
pub struct Large;

/// The parameters of a new database.
#[parameters(partial = DatabaseChanges)]
pub struct NewDatabase {
    /// Extensions in the schema `public`. One that is in use can't be removed.
    #[param(unique, default = [])]
    pub extensions: Vec<Extension>,
}

/// An extension that PostgreSQL trusts in the hands of users.
#[parameters(rename_all = "snake_case")]
#[derive(Clone, Copy, PartialEq)]
pub enum Extension {
    /// Text that is compared without regard to case.
    Citext,
    /// Sets of keys and values.
    Hstore,
    /// Search for similar text.
    PgTrgm,
    /// Cryptographic functions.
    Pgcrypto,
    /// Functions that generate UUIDs.
    #[param(rename = "uuid-ossp")]
    UuidOssp,
}

/// The credentials of a binding.
#[credentials(type = "postgresql")]
pub struct Access {
    /// URI of the database, with the name and the password of the login.
    pub uri: String,
    /// Host name or address of the server.
    #[param(public)]
    pub host: String,
    /// Port of the server.
    #[param(public)]
    pub port: u16,
    /// Name of the database.
    #[param(public)]
    pub database: String,
    /// Name of the login.
    #[param(public)]
    pub username: String,
    /// Password of the login.
    pub password: String,
}

/// The difference between the plans. The handlers are implemented once, for every plan with limits.
pub trait Limited: Plan<Create = NewDatabase, Update = DatabaseChanges> + Bindable + Updatable {
    /// The limits of a database.
    const LIMITS: Limits;
}

impl Limited for Small {
    const LIMITS: Limits = Limits { connections: 10, megabytes: 100 };
}

impl Limited for Large {
    const LIMITS: Limits = Limits { connections: 50, megabytes: 10_000 };
}

impl Databases {
    /// Creates the service over a server, which applications reach at this host and port.
    pub fn new(server: Server, host: impl Into<String>, port: u16) -> Self {
        Self { server, host: host.into(), port }
    }

    /// Opens a session for an operation, and saves the name of its database or login, as [`Server::session`] demands.
    async fn session(&self, name: &Name, operation: &Operation<Name>) -> Result<Session, Failure> {
        let session = self.server.session(name).await?;
        operation.checkpoint(name).await?;
        Ok(session)
    }

    /// Changes parameters, the plan or both.
    async fn change<Old: Limited, New: Limited>(
        &self,
        request: UpdateRequest<Old, New, Name>,
        operation: &Operation<Name>,
    ) -> Result<Updated<Name>, UpdateError> {
        let (database, limits) = (&request.state, New::LIMITS);
        let session = self.session(database, operation).await?;
        if limits.megabytes < Old::LIMITS.megabytes && !session.fits(database, limits).await? {
            let limit = limits.megabytes;
            return Err(UpdateError::refused(format!("The database has more than {limit} MB: delete data first.")));
        }
        let wanted = extensions(&request.parameters);
        let mut unwanted = request.old_parameters.decoded().as_ref().map(extensions).unwrap_or_default();
        unwanted.retain(|name| !wanted.contains(name));
        let inside = session.inside(database, Old::LIMITS).await?;
        inside.change((database, request.id()), limits, [&unwanted, &wanted]).await?;
        Ok(Updated::new(request.state))
    }
}

fn extensions(parameters: &NewDatabase) -> Vec<&'static str> {
    parameters.extensions.iter().map(Extension::as_str).collect()
}

impl<P: Limited> Provision<P> for Databases {
    type State = Name;

    async fn provision(
        &self,
        request: ProvisionRequest<P>,
        operation: &Operation<Name>,
    ) -> Result<Provisioned<Name>, ProvisionError> {
        let database = Name::new(operation.id())?;
        let session = self.session(&database, operation).await?;
        session.create_database(&database).await?;
        let inside = session.inside(&database, P::LIMITS).await?;
        inside.change((&database, request.id()), P::LIMITS, [&[], &extensions(&request.parameters)]).await?;
        Ok(Provisioned::new(database))
    }

    async fn deprovision(
        &self,
        request: DeprovisionRequest<P, Name>,
        operation: &Operation<Name>,
    ) -> Result<(), DeprovisionError> {
        let Some(database) = request.state.decoded()? else { return Ok(()) };
        Ok(self.session(&database, operation).await?.drop_database(&database).await?)
    }
}

impl<P: Limited> Update<P> for Databases {
    async fn update(
        &self,
        request: UpdateRequest<P, P, Name>,
        operation: &Operation<Name>,
    ) -> Result<Updated<Name>, UpdateError> {
        self.change(request, operation).await
    }
}

impl<Old: Limited, New: Limited> ChangePlan<Old, New> for Databases
where
    Databases: Changes<Old, New>,
{
    async fn change_plan(
        &self,
        request: UpdateRequest<Old, New, Name>,
        operation: &Operation<Name>,
    ) -> Result<Updated<Name>, UpdateError> {
        self.change(request, operation).await
    }
}

impl<P: Limited> Bind<P> for Databases {
    type Output = (Credentials<Access>, Endpoints);
    type BindingState = Name;

    /// Creates a login, for a rotation as well: the predecessor's login works until its binding is deleted.
    async fn bind(
        &self,
        request: BindRequest<P, Name, Name>,
        operation: &Operation<Name>,
    ) -> Result<Bound<Self::Output, Name>, BindError> {
        let login = Name::new(operation.id())?;
        let session = self.session(&login, operation).await?;
        // The server stores only a hash, so another attempt replaces the password.
        let mut random = [0; 16];
        getrandom::fill(&mut random)?;
        let password: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        session.create_login(&login, &password, &request.instance_state).await?;
        let (host, port) = (self.host.clone(), self.port);
        let (username, database) = (login.as_str().to_owned(), request.instance_state.as_str().to_owned());
        let address = if host.contains(':') { format!("[{host}]") } else { host.clone() };
        let uri = format!("postgresql://{username}:{password}@{address}:{port}/{database}");
        let endpoints = Endpoints(vec![Endpoint::tcp(host.clone(), port)]);
        let access = Access { uri, host, port, database, username, password };
        Ok(Bound::new((Credentials(access), endpoints), login))
    }

    async fn unbind(
        &self,
        request: UnbindRequest<P, Name, Name>,
        operation: &Operation<Name>,
    ) -> Result<(), UnbindError> {
        let state = (request.state.decoded()?, request.instance_state.decoded()?);
        let (Some(login), Some(database)) = state else { return Ok(()) };
        Ok(self.session(&login, operation).await?.drop_login(&login, &database, P::LIMITS).await?)
    }
}

/// The broker, with one service.
#[broker(lock)]
#[derive(Debug)]
pub struct Broker(pub Databases);
