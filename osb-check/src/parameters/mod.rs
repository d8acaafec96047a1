//! Generates valid and invalid parameters from a plan's schemas.

mod invalid;
mod pattern;
#[cfg(test)]
mod tests;
mod values;
mod work;

use serde_json::Value;

use self::work::Search;

/// Requests stay small: no value of this many bytes or more is generated.
const LONGEST: usize = 10_000;

/// Larger schemas are not searched; platforms refuse them (CAT-53).
const LARGEST: usize = 65_536;

/// Parameters of an operation.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Samples {
    /// Valid parameters; `None` if the operation takes none.
    pub(super) good: Option<Value>,
    /// Other valid parameters with a different meaning.
    pub(super) other: Option<Value>,
    /// Invalid parameters, each with a description of its defect.
    pub(super) bad: Vec<(String, Value)>,
}

impl Samples {
    /// Generates parameters; `None` if no valid ones are found.
    pub(super) fn of(schema: Option<&Value>) -> Option<Self> {
        let Some(schema) = schema else { return Some(Self::default()) };
        if schema.to_string().len() > LARGEST {
            return None;
        }
        let search = Search::new(schema)?;
        let (good, other) = pair(&values::objects(&search), &search)?;
        let mut bad = invalid::of(schema, &good);
        bad.retain(|(_, parameters)| search.is_valid(parameters) == Some(false));
        Some(Self { good: Some(good), other, bad })
    }
}

/// Returns the first two valid objects of the same group, which have the same properties with different values; or else
/// the first valid object.
fn pair(objects: &[Vec<Value>], search: &Search<'_>) -> Option<(Value, Option<Value>)> {
    let mut alone = None;
    for alike in objects {
        let mut good = alike.iter().filter(|object| search.is_valid(object) == Some(true));
        match (good.next(), good.next()) {
            (Some(first), Some(second)) => return Some((first.clone(), Some(second.clone()))),
            (Some(first), None) => alone = alone.or(Some(first.clone())),
            (None, _) => {}
        }
    }
    Some((alone?, None))
}
