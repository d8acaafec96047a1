//! A table of all plans.

use osb_catalog::text::steers_terminal;
use osb_runtime::catalog::{Offering, PlanInfo};

const HEADER: [&str; 6] = ["SERVICE", "PLAN", "FREE", "BINDABLE", "CHANGES TO", "DESCRIPTION"];

/// The description of a service that has only families, of which the deployment lists no plans.
const NO_PLANS: &str = "no plans: list those of its families in the file of --catalog-overrides";

/// Formats one line for each plan that is not retired, and for each service without plans.
pub(super) fn overview(offerings: &[&Offering]) -> String {
    let mut rows = vec![HEADER.map(str::to_owned)];
    for offering in offerings {
        if offering.plans.is_empty() {
            rows.push([offering.name, "-", "-", "-", "-", NO_PLANS].map(str::to_owned));
        }
        let plans = offering.plans.iter().filter(|plan| !plan.spec.retired);
        rows.extend(plans.map(|plan| row(offering, plan)));
    }
    table(&rows)
}

fn row(offering: &Offering, plan: &PlanInfo) -> [String; 6] {
    let spec = &plan.spec;
    let yes = |flag: bool| if flag { "yes" } else { "no" }.to_owned();
    let targets = offering.plans.iter().filter(|to| !to.spec.retired && offering.changes(spec.id, to.spec.id));
    let targets: Vec<&str> = targets.map(|to| to.spec.name).collect();
    let changes = if targets.is_empty() { "-".to_owned() } else { targets.join(", ") };
    [
        offering.name.to_owned(),
        spec.name.to_owned(),
        yes(spec.free),
        yes(spec.bindable),
        changes,
        spec.description.to_owned(),
    ]
}

/// Formats columns two spaces apart, each as wide as its widest cell.
pub(super) fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let rows: Vec<_> = rows.iter().map(|row| row.each_ref().map(|cell| one_line(cell))).collect();
    let widths: [usize; N] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
    let mut out = String::new();
    for row in &rows {
        let line: String = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}  ")).collect();
        out += line.trim_end();
        out += "\n";
    }
    out
}

/// Replaces the characters that [steer a terminal](steers_terminal), such as those in the name of a plan.
pub(super) fn one_line(text: &str) -> String {
    text.replace(steers_terminal, " ")
}

/// The same for a text of several lines.
pub(super) fn printable(text: &str) -> String {
    text.replace(|c: char| steers_terminal(c) && c != '\n', " ")
}

#[cfg(test)]
mod tests {
    use osb_runtime::catalog::PlanChange;

    use super::{Offering, overview, table};
    use crate::fixture::{BARE, KV};

    #[test]
    fn no_cell_controls_the_terminal_or_the_direction_of_the_text() {
        let cells = ["a\u{1b}[2Jb\u{9b}c\n".to_owned(), "i\u{202e}321\u{2069}".to_owned()];
        assert_eq!(table(&[cells]), "a [2Jb c   i 321\n");
    }

    #[test]
    fn columns_are_aligned_and_retired_plans_left_out() {
        let expected = "\
SERVICE  PLAN         FREE  BINDABLE  CHANGES TO  DESCRIPTION
kv       free         yes   yes       pro         10 MB, for trying things out.
kv       pro          no    yes       -           1 GB, billed monthly.
bare     only plan's  yes   no        -           10 MB, for trying things out.
";
        assert_eq!(overview(&[&KV, &BARE]), expected);
    }

    #[test]
    fn instances_are_not_moved_to_a_retired_plan() {
        let changes: &[PlanChange] = const { &[PlanChange { from: KV.plans[0].spec.id, to: KV.plans[2].spec.id }] };
        let table = overview(&[&Offering { changes, ..KV }]);
        assert_eq!(table, overview(&[&Offering { changes: &[], ..KV }]));
    }

    #[test]
    fn a_service_whose_families_have_no_plans_is_listed() {
        let lines = overview(&[&Offering { plans: &[], ..BARE }]);
        assert!(lines.ends_with("\nbare     -     -     -         -           no plans: list those of its families in the file of --catalog-overrides\n"), "{lines}");
    }
}
