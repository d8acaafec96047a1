//! The text format of Prometheus before OpenMetrics, version 0.0.4.

/// Translates from OpenMetrics. Names of counters and information metrics have their suffix in the metadata too, the types
/// that the older format doesn't know become others, and units, exemplars and the end mark are left out.
pub(super) fn plain_text(open_metrics: &str) -> String {
    let mut text = String::with_capacity(open_metrics.len());
    // Stands before the type, on which the name depends.
    let mut help = None;
    for line in open_metrics.lines() {
        let Some(metadata) = line.strip_prefix("# ") else {
            text += without_exemplar(line);
            text.push('\n');
            continue;
        };
        if let Some(rest) = metadata.strip_prefix("HELP ") {
            help = rest.split_once(' ');
        } else if let Some((name, kind)) = metadata.strip_prefix("TYPE ").and_then(|rest| rest.split_once(' ')) {
            let (suffix, kind) = match kind {
                "counter" => ("_total", kind),
                "info" => ("_info", "gauge"),
                "stateset" => ("", "gauge"),
                "gaugehistogram" => ("", "histogram"),
                "unknown" => ("", "untyped"),
                kind => ("", kind),
            };
            if let Some((_, words)) = help.take_if(|(of, _)| *of == name) {
                text += &format!("# HELP {name}{suffix} {words}\n");
            }
            text += &format!("# TYPE {name}{suffix} {kind}\n");
        }
    }
    text
}

/// Removes the exemplar, which follows a `#` outside of the labels' values.
fn without_exemplar(sample: &str) -> &str {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, character) in sample.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = is_quoted,
            '"' => is_quoted = !is_quoted,
            '#' if !is_quoted => return sample[..at].trim_end(),
            _ => {}
        }
    }
    sample
}

#[cfg(test)]
mod tests {
    use super::plain_text;

    #[test]
    fn names_types_and_exemplars_are_translated() {
        let open_metrics = r#"# HELP requests Answered requests.
# TYPE requests counter
requests_total{path="a \" # {b}"} 2 # {trace="x"} 1.0 1700000000.0
# HELP took How long.
# TYPE took histogram
# UNIT took seconds
took_bucket{le="+Inf"} 2 # {} 0.5
# HELP build What runs.
# TYPE build info
build_info{version="1"} 1
# TYPE temperature unknown
temperature 20
# EOF
"#;
        let plain = r#"# HELP requests_total Answered requests.
# TYPE requests_total counter
requests_total{path="a \" # {b}"} 2
# HELP took How long.
# TYPE took histogram
took_bucket{le="+Inf"} 2
# HELP build_info What runs.
# TYPE build_info gauge
build_info{version="1"} 1
# TYPE temperature untyped
temperature 20
"#;
        assert_eq!(plain_text(open_metrics), plain);
    }
}
