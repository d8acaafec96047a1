//! Tests of trace parents.

use http::{HeaderMap, HeaderValue};

use super::{super::headers::RequestHeaders, *};

#[test]
fn only_well_formed_headers_are_read() {
    let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let parent: TraceParent = good.parse().expect("well-formed");
    assert!(parent.is_sampled() && parent.as_str() == good);
    assert!(good.replace("-01", "-00").parse().is_ok_and(|parent: TraceParent| !parent.is_sampled()));
    assert!(format!("{}-more", good.replace("00-", "cc-")).parse::<TraceParent>().is_ok());
    for bad in [
        "",
        "00",
        &good.replace("00-", "ff-"),
        &format!("{good}-more"),
        &good.to_uppercase(),
        &good[1..],
        &good.replace("0af7651916cd43dd8448eb211c80319c", &"0".repeat(32)),
        &good.replace("b7ad6b7169203331", &"0".repeat(16)),
        &good.replace('a', "ä"),
    ] {
        assert_eq!(bad.parse::<TraceParent>(), Err(InvalidTraceParent), "{bad}");
    }
    // A later version may have more parts, which handlers send on as they are.
    let more =
        HeaderValue::from_str("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-\u{9b}2J").expect("a value");
    assert_eq!(RequestHeaders::of(&HeaderMap::from_iter([(TRACEPARENT, more)])).trace, None);
    let mut twice = HeaderMap::from_iter([(TRACEPARENT, good.parse().expect("a value"))]);
    assert_eq!(RequestHeaders::of(&twice).trace, Some(parent));
    twice.append(TRACEPARENT, good.parse().expect("a value"));
    assert_eq!(RequestHeaders::of(&twice).trace, None);
}
