//! The command `export`.

use std::{
    fs,
    io::{self, Write},
    mem,
    path::{Path, PathBuf},
};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use osb_docs::escaped;
use osb_runtime::{
    lifecycle::transfer::{self, Unsettled},
    store::{Key, Pages, Record, Records},
};

use super::SHOWN;
use crate::{Failure, blocking, config, own_store::OwnStores, progress::Progress, store::StoreArgs, tell};

#[derive(Debug, Args)]
#[group(skip)]
struct ExportArgs {
    /// File to write to, readable only by you [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Skip instances and bindings that are being changed, or whose creation or deletion failed
    #[arg(long)]
    ready_only: bool,
    #[command(flatten)]
    store: StoreArgs,
}

pub(super) fn command() -> Command {
    ExportArgs::augment_args(Command::new("export").arg(config::arg()))
        .about("Write all instances and bindings as lines of JSON, for `import`")
        .long_about(
            "Write all instances and bindings as lines of JSON, for `import`. The lines have parameters, states and credentials, \
             which are NOT encrypted. With records in a file, stop the broker first.",
        )
}

/// Runs `export`.
pub(crate) fn export(matches: &ArgMatches, stores: &OwnStores) -> Result<(), Failure> {
    let options = ExportArgs::from_arg_matches(matches)?;
    if let Some(out) = options.out.as_ref().filter(|out| options.store.is_at(out, &stores.program)) {
        return Err(Failure::Usage(format!("{} is the records file; name another file with --out", out.display())));
    }
    blocking(async {
        let records = options.store.open_existing(stores).await?;
        let written = write(&records, &options).await;
        records.close().await;
        written
    })?
}

async fn write(records: &Records, options: &ExportArgs) -> Result<(), Failure> {
    let mut unsettled = Vec::new();
    if !options.ready_only {
        // First without writing, so that a file is complete.
        each(records, |_, left_out| {
            unsettled.extend(left_out);
            Ok(())
        })
        .await?;
        if !unsettled.is_empty() {
            return Err(not_ready("nothing was exported", &unsettled));
        }
    }
    let cannot = |error: io::Error| match &options.out {
        Some(path) => Failure::Broken(format!("{} cannot be written: {error}", path.display())),
        None => Failure::Broken(format!("the output cannot be written: {error}")),
    };
    let mut out = match &options.out {
        Some(path) => Output::create(path).map_err(cannot)?,
        None => Output::Stream(Box::new(io::stdout().lock())),
    };
    let mut progress = Progress::new("instances written");
    each(records, |line, left_out| {
        unsettled.extend(left_out);
        progress.add(u64::from(line.is_some()));
        line.map_or(Ok(()), |line| writeln!(out.writer(), "{}", escaped(&line)).map_err(cannot))
    })
    .await?;
    drop(progress);
    if !unsettled.is_empty() && !options.ready_only {
        // The broker of a database may be running.
        let effect = match out {
            Output::File { .. } => "nothing was exported",
            Output::Stream(_) => "the output is incomplete",
        };
        let effect = format!("{effect}, because the records were changed meanwhile");
        return Err(not_ready(&effect, &unsettled));
    }
    out.finish().map_err(cannot)?;
    for left_out in &unsettled {
        let bindings = if left_out.key.binding.is_none() { " with its bindings" } else { "" };
        tell(&format!("warning: left out{bindings}: {left_out}\n"));
    }
    Ok(())
}

fn not_ready(effect: &str, unsettled: &[Unsettled]) -> Failure {
    let shown: Vec<_> = unsettled.iter().take(SHOWN).map(ToString::to_string).collect();
    Failure::Broken(format!(
        "{effect}: {} not ready:\n  {}\n  start the broker to finish running operations, and `retry` or `abandon` the failed ones; \
         or pass --ready-only to leave them out",
        unsettled.len(),
        shown.join("\n  ")
    ))
}

/// The destination of an export.
enum Output {
    /// Standard output, a device or a pipe.
    Stream(Box<dyn Write>),
    /// A file beside the one to write, which takes its place when it is complete: a failure leaves an earlier export as it is.
    File { writer: io::BufWriter<fs::File>, partial: PathBuf, path: PathBuf },
}

impl Output {
    /// Creates a file that other users can't read, as the permissions of an existing one may let them.
    fn create(path: &Path) -> io::Result<Self> {
        // The target of a link is replaced, and not the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut options = fs::OpenOptions::new();
        options.write(true);
        if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
            return Ok(Self::Stream(Box::new(io::BufWriter::new(options.open(path)?))));
        }
        let mut partial = path.clone().into_os_string();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let created = options.create_new(true).open(&partial).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                let help = "perhaps from a run that was interrupted; if no other process is writing it, remove it, and try again";
                io::Error::new(error.kind(), format!("{} exists, {help}", partial.display()))
            }
            _ => error,
        });
        let writer = io::BufWriter::new(created?);
        Ok(Self::File { writer, partial, path })
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Stream(stream) => stream,
            Self::File { writer, .. } => writer,
        }
    }

    fn finish(mut self) -> io::Result<()> {
        self.writer().flush()?;
        if let Self::File { writer, partial, path } = &self {
            writer.get_ref().sync_all()?;
            fs::rename(partial, path)?;
        }
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // Once it has been renamed there is none.
        if let Self::File { partial, .. } = self {
            _ = fs::remove_file(partial);
        }
    }
}

/// Calls `with` with the line of each instance, and with the bindings that the line leaves out.
async fn each(
    records: &Records,
    mut with: impl FnMut(Option<String>, Vec<Unsettled>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut pages = Pages::of(records.store());
    let mut group: Vec<(Key, Record)> = Vec::new();
    let mut end = |group: Vec<(Key, Record)>| match group.split_first() {
        Some(((key, record), bindings)) if record.forget_at().is_none() => {
            match transfer::write((key, record), bindings) {
                Ok((line, left_out)) => with(Some(line), left_out),
                Err(instance) => with(None, vec![instance]),
            }
        }
        _ => Ok(()),
    };
    while let Some(page) = pages.next().await.map_err(Failure::broken)? {
        for (key, record) in page {
            if key.binding.is_none() {
                end(mem::take(&mut group))?;
            }
            group.push((key, record));
        }
    }
    end(group)
}
