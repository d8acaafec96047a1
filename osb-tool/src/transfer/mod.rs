//! The commands `import` and `export`: instances of another broker, with their ids, as lines of JSON.

use std::{
    collections::HashMap,
    fs,
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
    time::SystemTime,
};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use osb_runtime::{
    catalog::Offering,
    lifecycle::transfer::{self, Unsettled, Values},
    schema::Violation,
    store::{Key, Pages, Record, Records, StoreError, Timestamp},
};

use super::{
    Failure, blocking, config, counted, overrides::OverrideArgs, own_store::Place, progress::Progress, store::StoreArgs,
};

/// Number of problems that are listed.
const SHOWN: usize = 100;

#[derive(Debug, Args)]
#[group(skip)]
struct ImportArgs {
    /// File with one instance a line, with its bindings, as JSON; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Check everything, and import nothing
    #[arg(long)]
    dry_run: bool,
    /// Accept what this broker accepted before: parameters and credentials that its types can read, although its schemas
    /// reject them
    #[arg(long)]
    as_stored: bool,
    #[command(flatten)]
    store: StoreArgs,
}

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

pub(super) fn commands() -> [Command; 2] {
    let import = OverrideArgs::augment_args(ImportArgs::augment_args(Command::new("import").arg(config::arg())))
        .about("Take over the instances and bindings of another broker, with their ids")
        .long_about(
            "Take over the instances and bindings of another broker, with their ids. Every line is checked against the catalog, \
             the schemas of parameters and credentials, and the types of the states; if there is a problem, all of them are \
             listed, and nothing is imported. No handler is called. With records in a file, stop the broker first.\n\n\
             A line has the fields of the specification, and the author's state: {\"tenant\": ..., \"instance_id\": ..., \
             \"service_id\": ..., \"plan_id\": ..., \"organization_guid\": ..., \"space_guid\": ..., \"context\": {}, \
             \"parameters\": {}, \"state\": ..., \"bindings\": [{\"binding_id\": ..., \"bind_resource\": {}, \"parameters\": {}, \
             \"credentials\": {}, \"state\": ...}]}. `export` writes such lines.",
        );
    let export = ExportArgs::augment_args(Command::new("export").arg(config::arg()))
        .about("Write all instances and bindings as lines of JSON, for `import`")
        .long_about(
            "Write all instances and bindings as lines of JSON, for `import`. The lines have parameters, states and credentials, \
             which are NOT encrypted. With records in a file, stop the broker first.",
        );
    [import, export]
}

/// Runs `import`.
pub(super) fn import(matches: &ArgMatches, offerings: &[&'static Offering], at: &Place) -> Result<(), Failure> {
    let options = ImportArgs::from_arg_matches(matches)?;
    let mut lines = Lines::new(&options.file);
    let values = if options.as_stored { Values::Stored } else { Values::New };
    lines.read(offerings, values)?;
    let (instances, bindings) = lines.counts();
    let what = format!("{} and {}", counted(instances, "instance"), counted(bindings, "binding"));
    blocking(async {
        if let Some(records) = options.store.open_if_there(at).await? {
            let compared = lines.compare(&records).await;
            records.close().await;
            compared.map_err(Failure::broken)?;
        }
        lines.finish(offerings, values)?;
        if !options.dry_run {
            options.store.insert(&at.program, lines.records).await?;
        }
        Ok::<(), Failure>(())
    })??;
    super::print(&if options.dry_run { format!("{what} can be imported\n") } else { format!("imported {what}\n") })
}

/// The lines of a file, and their problems.
struct Lines<'a> {
    file: &'a Path,
    records: Vec<(Key, Record)>,
    /// The line of each instance.
    instances: HashMap<Key, usize>,
    /// The problems, each with its line.
    problems: Vec<(usize, Violation)>,
}

impl<'a> Lines<'a> {
    fn new(file: &'a Path) -> Self {
        Self { file, records: Vec::new(), instances: HashMap::new(), problems: Vec::new() }
    }

    fn read(&mut self, offerings: &[&'static Offering], values: Values) -> Result<(), Failure> {
        let fail = |error: io::Error| Failure::Usage(format!("{} cannot be read: {error}", self.file.display()));
        let input: Box<dyn BufRead> = match self.file.to_str() {
            Some("-") => Box::new(io::stdin().lock()),
            _ => Box::new(BufReader::new(fs::File::open(self.file).map_err(fail)?)),
        };
        let (now, mut progress) = (Timestamp::from(SystemTime::now()), Progress::new("lines checked"));
        for (at, line) in input.lines().enumerate() {
            progress.add(1);
            let line = match line {
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    self.problem(at + 1, "", "is not UTF-8");
                    continue;
                }
                line => line.map_err(fail)?,
            };
            if line.trim().is_empty() {
                continue;
            }
            match transfer::read(&line, offerings, values, now) {
                Ok(records) => self.add(at + 1, records),
                Err(found) => {
                    self.problems.extend(found.into_iter().map(|violation| (at + 1, violation)));
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, line: usize, records: Vec<(Key, Record)>) {
        let Some((instance, _)) = records.first() else { return };
        match self.instances.get(instance) {
            Some(first) => {
                let text = format!("line {first} has the same instance");
                self.problem(line, "/instance_id", &text);
            }
            None => {
                self.instances.insert(instance.clone(), line);
                self.records.extend(records);
            }
        }
    }

    fn problem(&mut self, line: usize, pointer: &str, message: &str) {
        self.problems.push((line, Violation { pointer: pointer.to_owned(), message: message.to_owned() }));
    }

    fn counts(&self) -> (usize, usize) {
        (self.instances.len(), self.records.len() - self.instances.len())
    }

    /// Reports the instances that the store has already.
    async fn compare(&mut self, records: &Records) -> Result<(), StoreError> {
        let mut existing = Vec::new();
        // In the order of their lines.
        for key in self.records.iter().map(|(key, _)| key).filter(|key| key.binding.is_none()) {
            let mut exists = false;
            records.store().read(key, &mut |record| exists = record.is_some()).await?;
            existing.extend(exists.then(|| self.instances[key]));
        }
        for line in existing {
            self.problem(line, "/instance_id", "the records already have this instance, or a tombstone of it");
        }
        Ok(())
    }

    /// Fails if there are problems.
    fn finish(&self, offerings: &[&'static Offering], values: Values) -> Result<(), Failure> {
        if self.problems.is_empty() {
            return Ok(());
        }
        let more = match self.problems.len() {
            number if number > SHOWN => format!("\n  and {} more", number - SHOWN),
            _ => String::new(),
        };
        let has = |part: &str| self.problems.iter().any(|(_, problem)| problem.pointer.contains(part));
        let mut hints = String::new();
        if values == Values::New && (has("/parameters/") || has("/credentials/")) {
            hints.push_str("\n  if this broker accepted these values before, pass --as-stored");
        }
        if offerings.iter().any(|offering| !offering.families.is_empty()) && has("/plan_id") {
            hints.push_str("\n  plans of families are in the file of --catalog-overrides (OSB_CATALOG_OVERRIDES)");
        }
        let shown = |(line, Violation { pointer, message }): &(usize, Violation)| {
            let pointer = if pointer.is_empty() { String::new() } else { format!(" {pointer}:") };
            format!("\n  {}:{line}:{pointer} {message}", self.file.display())
        };
        let problems: String = self.problems.iter().take(SHOWN).map(shown).collect();
        Err(Failure::Usage(format!("nothing was imported:{problems}{more}{hints}")))
    }
}

/// Runs `export`.
pub(super) fn export(matches: &ArgMatches, at: &Place) -> Result<(), Failure> {
    let options = ExportArgs::from_arg_matches(matches)?;
    if let Some(out) = options.out.as_ref().filter(|out| options.store.is_at(out, &at.program)) {
        return Err(Failure::Usage(format!("{} is the records file; name another file with --out", out.display())));
    }
    blocking(async {
        let records = options.store.open_existing(at).await?;
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
        line.map_or(Ok(()), |line| writeln!(out.writer(), "{line}").map_err(cannot))
    })
    .await?;
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
        super::tell(&format!("warning: left out{bindings}: {left_out}\n"));
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
    let mut end = |group: &mut Vec<(Key, Record)>| match group.split_first() {
        Some(((key, record), bindings)) if record.forget_at().is_none() => {
            let written = transfer::write((key, record), bindings);
            group.clear();
            match written {
                Ok((line, left_out)) => with(Some(line), left_out),
                Err(instance) => with(None, vec![instance]),
            }
        }
        _ => {
            group.clear();
            Ok(())
        }
    };
    while let Some(page) = pages.next().await.map_err(Failure::broken)? {
        for (key, record) in page {
            if key.binding.is_none() {
                end(&mut group)?;
            }
            group.push((key, record));
        }
    }
    end(&mut group)
}
