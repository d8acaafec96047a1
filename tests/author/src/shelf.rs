//! The service: an instance is a file in a directory.

use std::{fs, io, path::PathBuf};

use osb_runtime::prelude::*;
use osb_tool::prometheus_client::metrics::counter::Counter;
use serde::{Deserialize, Serialize};

/// Shelves for books.
#[service(
    id = "5a3c0f86-5e43-4f4a-9a69-0f3c7c6b6d01",
    name = "shelf",
    plans(Small, Large, Closed, Wooden),
    changes(Small => Large),
)]
pub(crate) struct Shelves {
    pub(crate) directory: PathBuf,
    pub(crate) made: Counter,
}

/// A shelf for some books.
#[plan(id = "5a3c0f86-5e43-4f4a-9a69-0f3c7c6b6d02", name = "small", create = NewShelf, bind = Access)]
pub(crate) struct Small;

/// A shelf for many books.
#[plan(
    id = "5a3c0f86-5e43-4f4a-9a69-0f3c7c6b6d03",
    name = "large",
    create = NewShelf,
    bind = Access,
    maintenance_info(version = "2.0.0")
)]
pub(crate) struct Large;

/// A shelf behind glass.
#[plan(id = "5a3c0f86-5e43-4f4a-9a69-0f3c7c6b6d04", name = "closed")]
pub(crate) struct Closed;

/// A shelf of wood.
#[plan(family = Make, name = "wooden", create = NewShelf, bind = Access)]
pub(crate) struct Wooden;

/// The values of a wooden shelf in the file of a deployment.
#[parameters]
pub(crate) struct Make {
    /// Number of boards.
    #[param(range(min = 1, max = 20))]
    pub(crate) boards: u32,
    /// Kind of wood.
    pub(crate) wood: Option<Wood>,
}

/// A kind of wood.
#[parameters(rename_all = "lowercase")]
pub(crate) enum Wood {
    /// Hard.
    Oak,
    /// Soft.
    Pine,
}

/// The parameters of a new shelf.
#[parameters]
pub(crate) struct NewShelf {
    /// Width in centimetres.
    #[param(range(min = 10, max = 200))]
    pub(crate) width: u32,
    /// Colour.
    pub(crate) colour: Option<String>,
}

/// The parameters of a binding.
#[parameters]
pub(crate) struct Access {
    /// Whether books can only be read.
    #[param(default = false)]
    pub(crate) read_only: bool,
}

/// The credentials of a binding.
#[credentials]
pub(crate) struct Ticket {
    /// Where the shelf is.
    pub(crate) uri: String,
    /// The password.
    #[param(secret)]
    pub(crate) password: String,
}

/// The name of the file.
#[derive(Serialize, Deserialize)]
pub(crate) struct Shelf {
    pub(crate) file: String,
    pub(crate) width: u32,
}

/// The name of the reader.
#[derive(Serialize, Deserialize)]
pub(crate) struct Reader {
    pub(crate) reader: String,
}

impl Shelves {
    fn make(&self, id: &str, width: u32) -> io::Result<Shelf> {
        let file = format!("shelf-{id}");
        fs::write(self.directory.join(&file), width.to_string())?;
        self.made.inc();
        Ok(Shelf { file, width })
    }

    fn remove(&self, state: Option<Shelf>) -> io::Result<()> {
        let Some(Shelf { file, .. }) = state else { return Ok(()) };
        match fs::remove_file(self.directory.join(file)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

pub(crate) trait Open: Plan<Create = NewShelf, Bind = Access> + Bindable {
    fn boards(values: &Self::Family) -> u32;
}
impl Open for Small {
    fn boards(_: &NoParameters) -> u32 {
        1
    }
}
impl Open for Large {
    fn boards(_: &NoParameters) -> u32 {
        3
    }
}
impl Open for Wooden {
    fn boards(values: &Make) -> u32 {
        values.boards
    }
}

impl<P: Open> Provision<P> for Shelves {
    type State = Shelf;
    async fn provision(
        &self,
        request: ProvisionRequest<P>,
        operation: &Operation<Shelf>,
    ) -> Result<Provisioned<Shelf>, ProvisionError> {
        let trace = operation.trace().map(ToString::to_string).unwrap_or_default();
        tracing::info!("making a shelf");
        fs::write(self.directory.join("trace"), trace)?;
        let plan = format!("{} of {} boards", request.plan.name, P::boards(request.plan.values));
        fs::write(self.directory.join("plan"), plan)?;
        Ok(Provisioned::new(self.make(operation.id(), request.parameters.width)?))
    }
    async fn deprovision(
        &self,
        request: DeprovisionRequest<P, Shelf>,
        _: &Operation<Shelf>,
    ) -> Result<(), DeprovisionError> {
        if self.directory.join("stuck").exists() {
            return Err(io::Error::other("the shelf is stuck").into());
        }
        Ok(self.remove(request.state.decoded()?)?)
    }
}

osb_lab::provision_nothing!(Shelves: Closed => () = |_new| Provisioned::new(()));
osb_lab::change_nothing!(Shelves: Small => Large);
osb_lab::update_nothing!(Shelves: Large);

impl<P: Open> Bind<P> for Shelves {
    type Output = Credentials<Ticket>;
    type BindingState = Reader;
    async fn bind(
        &self,
        request: BindRequest<P, Shelf, Reader>,
        operation: &Operation<Reader>,
    ) -> Result<Bound<Credentials<Ticket>, Reader>, BindError> {
        let ticket =
            Ticket { uri: format!("shelf:{}", request.instance_state.file), password: operation.id().to_owned() };
        Ok(Bound::new(Credentials(ticket), Reader { reader: operation.id().to_owned() }))
    }
    async fn unbind(&self, _: UnbindRequest<P, Shelf, Reader>, _: &Operation<Reader>) -> Result<(), UnbindError> {
        // A test has made this file.
        if self.directory.join("jammed").exists() { Err(io::Error::other("the lock is jammed").into()) } else { Ok(()) }
    }
}

#[broker]
pub(crate) struct Broker {
    pub(crate) shelves: Shelves,
}
