//! The command `import`.

use std::{
    collections::HashMap,
    fs,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    time::SystemTime,
};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use osb_runtime::{
    catalog::Offering,
    lifecycle::transfer::{self, Values},
    schema::Violation,
    store::{Key, Record, Records, StoreError, Timestamp},
};

use super::SHOWN;
use crate::{
    Failure, blocking, config, counted, overrides::OverrideArgs, own_store::OwnStores, print, progress::Progress,
    store::StoreArgs,
};

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

pub(super) fn command() -> Command {
    OverrideArgs::augment_args(ImportArgs::augment_args(Command::new("import").arg(config::arg())))
        .about("Take over the instances and bindings of another broker, with their ids")
        .long_about(
            "Take over the instances and bindings of another broker, with their ids. Every line is checked against the catalog, \
             the schemas of parameters and credentials, and the types of the states; if there is a problem, all of them are \
             listed, and nothing is imported. No handler is called. With records in a file, stop the broker first.\n\n\
             A line has the fields of the specification, and the author's state, as this release writes it: {\"tenant\": ..., \"instance_id\": ..., \
             \"service_id\": ..., \"plan_id\": ..., \"organization_guid\": ..., \"space_guid\": ..., \"context\": {}, \
             \"parameters\": {}, \"state\": ..., \"bindings\": [{\"binding_id\": ..., \"bind_resource\": {}, \"parameters\": {}, \
             \"credentials\": {}, \"state\": ...}]}. `export` writes such lines.",
        )
}

/// Runs `import`.
pub(crate) fn import(matches: &ArgMatches, offerings: &[&'static Offering], stores: &OwnStores) -> Result<(), Failure> {
    let options = ImportArgs::from_arg_matches(matches)?;
    let mut lines = Lines::new(&options.file);
    let values = if options.as_stored { Values::Stored } else { Values::New };
    lines.read(offerings, values)?;
    let (instances, bindings) = lines.counts();
    let what = format!("{} and {}", counted(instances, "instance"), counted(bindings, "binding"));
    blocking(async {
        if let Some(records) = options.store.open_if_there(stores).await? {
            let compared = lines.compare(&records).await;
            records.close().await;
            compared.map_err(Failure::broken)?;
        }
        lines.finish(offerings, values)?;
        if !options.dry_run {
            options.store.insert(&stores.program, lines.records).await?;
        }
        Ok::<(), Failure>(())
    })??;
    print(&if options.dry_run { format!("{what} can be imported\n") } else { format!("imported {what}\n") })
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
        self.problems.push((line, Violation::new(pointer, message)));
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
        let shown = |(line, Violation { pointer, message, .. }): &(usize, Violation)| {
            let pointer = if pointer.is_empty() { String::new() } else { format!(" {pointer}:") };
            format!("\n  {}:{line}:{pointer} {message}", self.file.display())
        };
        let problems: String = self.problems.iter().take(SHOWN).map(shown).collect();
        Err(Failure::Usage(format!("nothing was imported:{problems}{more}{hints}")))
    }
}
