//! The service.

use std::{io, path::Path, time::Duration};

use osb_runtime::{
    prelude::*,
    service::{Changes, Updatable},
};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use super::folder::{Call, Folder, StoredFile, StoredSecret, remove, write};

/// Files, for tests.
#[service(
    id = "c3b0a4de-7c4e-4b43-a4e6-0c6ce5f2f001",
    name = "files",
    plans(Plain, Roomy, Slow),
    changes(Plain => Roomy, Roomy => Plain)
)]
#[derive(Debug)]
pub struct Files(Folder);

/// A plan with the default behaviour, synchronous or asynchronous.
#[plan(
    id = "c3b0a4de-7c4e-4b43-a4e6-0c6ce5f2f002",
    name = "plain",
    create = NewFile,
    update = FileChanges,
    bind = Access,
    rotatable
)]
#[derive(Debug)]
pub struct Plain;

/// A plan that `plain` can be changed to.
#[plan(
    id = "c3b0a4de-7c4e-4b43-a4e6-0c6ce5f2f003",
    name = "roomy",
    create = NewFile,
    update = FileChanges,
    bind = Access,
    rotatable
)]
#[derive(Debug)]
pub struct Roomy;

/// A plan that is always asynchronous.
#[plan(
    id = "c3b0a4de-7c4e-4b43-a4e6-0c6ce5f2f004",
    name = "slow",
    create = NewFile,
    update = FileChanges,
    bind = Access,
    rotatable,
    asynchronous(instances = always, bindings = always)
)]
#[derive(Debug)]
pub struct Slow;

/// The parameters of a new file.
#[parameters(partial = FileChanges)]
#[derive(Debug)]
pub struct NewFile {
    /// Content of the file.
    pub text: String,
    /// Number of steps.
    #[param(range(min = 1, max = 20), default = 1, immutable)]
    pub blocks: u32,
    /// Milliseconds after each step.
    #[param(range(max = 1_000), default = 0)]
    pub pause: u32,
    /// Behaviour of the handler.
    #[param(default = "succeed")]
    pub mood: Behaviour,
}

/// The behaviour of a handler.
#[parameters(rename_all = "snake_case")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    /// It succeeds.
    Succeed,
    /// The first attempt fails with a temporary error.
    Temporary,
    /// It refuses at the end.
    Refuse,
    /// It fails at the end.
    Fail,
}

/// The parameters of a binding.
#[parameters]
#[derive(Debug)]
pub struct Access {
    /// Milliseconds after each step.
    #[param(range(max = 1_000), default = 0)]
    pub pause: u32,
    /// Behaviour of the handler.
    #[param(default = "succeed")]
    pub mood: Behaviour,
}

/// The credentials of a binding.
#[credentials]
pub struct Secret {
    /// The content of a file.
    pub secret: String,
}

/// The common bounds of the plans.
pub trait FilePlan: Plan<Create = NewFile, Update = FileChanges, Bind = Access> + Bindable + Updatable {}
impl FilePlan for Plain {}
impl FilePlan for Roomy {}
impl FilePlan for Slow {}

/// The state of a file, first saved before the file exists.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FileState {
    /// Its name: the id of the operation that creates it.
    pub file: String,
    /// Number of completed steps.
    pub blocks: u32,
}

/// Behaves as requested. The error types of the handlers differ.
macro_rules! behave {
    ($mood:expr, $error:ident, $work:expr) => {
        match $mood {
            Behaviour::Temporary if $work.attempt() == 1 => Err($error::temporary("not at the first attempt")),
            Behaviour::Succeed | Behaviour::Temporary => Ok(()),
            Behaviour::Refuse => Err($error::refused("As requested.")),
            Behaviour::Fail => Err($error::unexpected("as requested")),
        }
    };
}

async fn pause(milliseconds: u32) {
    if milliseconds > 0 {
        sleep(Duration::from_millis(milliseconds.into())).await;
    }
}

impl Files {
    /// Opens the service over this directory, which is created if it does not exist.
    pub fn open(folder: &Path) -> io::Result<Self> {
        Folder::open(folder).map(Self)
    }

    async fn change<New: FilePlan>(
        &self,
        instance: &str,
        state: FileState,
        new: NewFile,
        operation: &Operation<FileState>,
    ) -> Result<Updated<FileState>, UpdateError> {
        let call = self.0.called("update", instance, operation, None)?;
        pause(new.pause).await;
        operation.checkpoint(&state).await?;
        behave!(new.mood, UpdateError, operation)?;
        let plan = New::SPEC.name.to_owned();
        let file = StoredFile { instance: instance.to_owned(), plan, text: new.text, blocks: state.blocks };
        write(&self.0.files_dir.join(&state.file), &file)?;
        pause(new.pause).await;
        call.note("completed")?;
        Ok(Updated::new(state))
    }
}

impl<P: FilePlan> Provision<P> for Files {
    type State = FileState;

    async fn provision(
        &self,
        request: ProvisionRequest<P>,
        operation: &Operation<FileState>,
    ) -> Result<Provisioned<FileState>, ProvisionError> {
        let earlier = operation.checkpointed();
        let call = self.0.called("provision", request.id(), operation, earlier.as_ref().map(|state| state.blocks))?;
        let mut state = earlier.unwrap_or_else(|| FileState { file: operation.id().to_owned(), blocks: 0 });
        let instance = request.id().to_owned();
        let NewFile { text, blocks, pause: milliseconds, mood } = request.parameters;
        // Saved before the file exists, so that `deprovision` knows its name after a crash.
        operation.checkpoint(&state).await?;
        let mut file = StoredFile { instance, plan: P::SPEC.name.to_owned(), text, blocks: 0 };
        while state.blocks < blocks {
            state.blocks += 1;
            file.blocks = state.blocks;
            write(&self.0.files_dir.join(&state.file), &file)?;
            operation.checkpoint(&state).await?;
            call.note(&format!("saved {}", state.blocks))?;
            operation.progress(format!("{} of {blocks}", state.blocks));
            tokio::select! {
                () = pause(milliseconds) => {}
                () = operation.cancelled() => return Err("it is no longer wanted".into()),
            }
        }
        behave!(mood, ProvisionError, operation)?;
        call.note("completed")?;
        Ok(Provisioned::new(state))
    }

    async fn deprovision(
        &self,
        request: DeprovisionRequest<P, FileState>,
        operation: &Operation<FileState>,
    ) -> Result<(), DeprovisionError> {
        let call = self.0.called("deprovision", request.id(), operation, None)?;
        let milliseconds = request.parameters.decoded().map_or(0, |parameters| parameters.pause);
        pause(milliseconds).await;
        if let Some(state) = request.state.decoded()? {
            remove(&self.0.files_dir.join(state.file))?;
        }
        pause(milliseconds).await;
        call.note("completed")?;
        Ok(())
    }
}

impl<P: FilePlan> Update<P> for Files {
    async fn update(
        &self,
        request: UpdateRequest<P, P, FileState>,
        operation: &Operation<FileState>,
    ) -> Result<Updated<FileState>, UpdateError> {
        let instance = request.id().to_owned();
        self.change::<P>(&instance, request.state, request.parameters, operation).await
    }
}

impl<Old: FilePlan, New: FilePlan> ChangePlan<Old, New> for Files
where
    Files: Changes<Old, New>,
{
    async fn change_plan(
        &self,
        request: UpdateRequest<Old, New, FileState>,
        operation: &Operation<FileState>,
    ) -> Result<Updated<FileState>, UpdateError> {
        let instance = request.id().to_owned();
        self.change::<New>(&instance, request.state, request.parameters, operation).await
    }
}

/// Returns the name of a binding in the call log.
fn name(instance: &str, binding: &str) -> String {
    format!("{instance}/{binding}")
}

impl<P: FilePlan> Bind<P> for Files {
    type Output = Credentials<Secret>;
    type BindingState = String;

    async fn bind(
        &self,
        request: BindRequest<P, FileState, String>,
        operation: &Operation<String>,
    ) -> Result<Bound<Credentials<Secret>, String>, BindError> {
        let (instance, binding) = (request.instance_id.as_str().to_owned(), request.id().to_owned());
        let call: Call = self.0.called("bind", &name(&instance, &binding), operation, None)?;
        let file = operation.id().to_owned();
        operation.checkpoint(&file).await?;
        let mut random = [0; 16];
        getrandom::fill(&mut random)?;
        let secret = format!("{:032x}", u128::from_be_bytes(random));
        write(&self.0.secrets_dir.join(&file), &StoredSecret { instance, binding, secret: secret.clone() })?;
        pause(request.parameters.pause).await;
        behave!(request.parameters.mood, BindError, operation)?;
        call.note("completed")?;
        Ok(Bound::new(Credentials(Secret { secret }), file))
    }

    async fn unbind(
        &self,
        request: UnbindRequest<P, FileState, String>,
        operation: &Operation<String>,
    ) -> Result<(), UnbindError> {
        let call: Call = self.0.called("unbind", &name(request.instance_id.as_str(), request.id()), operation, None)?;
        let milliseconds = request.parameters.decoded().map_or(0, |parameters| parameters.pause);
        pause(milliseconds).await;
        if let Some(file) = request.state.decoded()? {
            remove(&self.0.secrets_dir.join(file))?;
        }
        pause(milliseconds).await;
        call.note("completed")?;
        Ok(())
    }
}

/// The broker, with one service.
#[broker]
#[derive(Debug)]
pub struct Broker {
    /// The service.
    pub files: Files,
}
