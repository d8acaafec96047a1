//! Writes a report as text: by rule, errors first.

use super::{Finding, Report, Severity};
use osb_catalog::text::steers_terminal;

pub(super) fn text(report: &Report, colours: bool) -> String {
    let paint = |code: &str, text: &str| if colours { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() };
    let mut out = String::new();
    for severity in [Severity::Error, Severity::Warning] {
        let found = || report.findings.iter().filter(|finding| finding.severity == severity);
        let mut rules: Vec<&'static str> = Vec::new();
        for finding in found() {
            if !rules.contains(&finding.rule) {
                rules.push(finding.rule);
            }
        }
        for rule in rules {
            let found: Vec<&Finding> = found().filter(|finding| finding.rule == rule).collect();
            let Some(first) = found.first() else { continue };
            let (word, colour) = match severity {
                Severity::Error => ("error", "1;31"),
                Severity::Warning => ("warning", "1;33"),
            };
            out += &format!(
                "{} {}: {}\n",
                paint(colour, &format!("{word} {rule}")),
                first.level_and_section(),
                first.text
            );
            out.extend(found.into_iter().map(one));
            out += "\n";
        }
    }
    if !report.unchecked.is_empty() {
        out += &format!("{}\n", paint("1;33", "not checked"));
        for unchecked in &report.unchecked {
            out += &format!("  {}\n", one_line(&format!("{}{}", of(&unchecked.plan), unchecked.why)));
        }
        out += "\n";
    }
    if !report.left_behind.is_empty() {
        out += &format!("{}\n", paint("1;31", "left behind: these resources could not be deleted"));
        out.extend(report.left_behind.iter().map(|left| format!("  {}\n", one_line(left))));
        out += "\n";
    }
    out + &summary(report)
}

fn one(finding: &Finding) -> String {
    let again = if finding.times > 1 { format!(" ({} times)", finding.times) } else { String::new() };
    let found = format!("{}{}: {}{again}", of(&finding.plan), finding.tried, finding.expected);
    let lines = [found, format!("  request:  {}", finding.sent), format!("  response: {}", finding.answer)];
    lines.map(|line| format!("  {}\n", one_line(&line))).concat()
}

/// Replaces the characters that [steer a terminal](steers_terminal), such as those in the name of a plan.
fn one_line(text: &str) -> String {
    text.replace(steers_terminal, " ")
}

fn of(plan: &str) -> String {
    if plan.is_empty() { String::new() } else { format!("{plan}: ") }
}

impl Finding {
    fn level_and_section(&self) -> String {
        if self.section.is_empty() { self.level.clone() } else { format!("{}, \"{}\"", self.level, self.section) }
    }
}

fn summary(report: &Report) -> String {
    let counted =
        |number: usize, noun: &str| if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") };
    let (errors, warnings) = (report.errors().count(), report.warnings().count());
    let unchecked = match report.unchecked.len() {
        0 => String::new(),
        number => format!(", {} not checked", counted(number, "step")),
    };
    format!(
        "{}, {}{unchecked}; {} sent\n",
        counted(errors, "error"),
        counted(warnings, "warning"),
        counted(report.requests, "request")
    )
}
