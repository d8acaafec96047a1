//! The documentation page.

use std::collections::BTreeSet;

use osb_lab::{
    all_parameter_types::{self, Every, EveryBroker},
    prelude::*,
};
use osb_runtime::{
    http::{AcceptedCredentials, serve},
    prelude::*,
    service::Broker,
};
use tokio::{net::TcpListener, runtime::Runtime};

use crate::chromium::{CONTRAST, Chromium, assert_well};

/// A service <img src="http://evil.example/a.png"> with "quotes" and `code`.
#[service(
    id = "c5a4c9de-93a7-4d0e-9df1-1f1b1c0a0001",
    name = "first",
    plans(Small, Large),
    changes(Small => Large),
    tags("one"),
    metadata(
        display_name = "The <b>first</b> service",
        long_description = "With </style><script>document.title = 'evil'</script> in its text.\n\nAnd more of it.",
        image_url = "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCA4IDgiPjxjaXJjbGUgY3g9IjQiIGN5PSI0IiByPSI0IiBmaWxsPSIjMGE1NWEwIi8+PC9zdmc+",
        documentation_url = "https://docs.example.com/first%20steps?a=1&b='2'",
    ),
)]
struct First;

/// A little.
#[plan(
    id = "c5a4c9de-93a7-4d0e-9df1-1f1b1c0a0002",
    name = "small",
    create = Wanted,
    bindable,
    metadata(bullets("<svg onload=alert(1)>", "Backups"))
)]
struct Small;

/// A lot.
#[plan(id = "c5a4c9de-93a7-4d0e-9df1-1f1b1c0a0003", name = "large", free = false, create = Wanted, bindable)]
struct Large;

/// Parameters of an instance.
#[parameters]
struct Wanted {
    /// How many days anything is kept, before `it` is <i>thrown</i> away.
    #[param(range(min = 1, max = 365), default = 30, example = 7)]
    retention_days: u16,
    /// A long pattern that does not fit on a phone.
    #[param(
        pattern = "^[a-z][a-z0-9-]{0,31}-[a-z][a-z0-9-]{0,31}-[a-z][a-z0-9-]{0,31}-[a-z][a-z0-9-]{0,31}$",
        example = "a-b-c-d"
    )]
    an_uncommonly_long_name_for_a_parameter_of_a_service: Option<String>,
}

/// Access to an instance.
#[credentials]
struct Access {
    /// Where.
    uri: String,
}

osb_lab::provision_nothing!(First);

osb_lab::bind_nothing! {
    First: Small => Credentials<Access> = |_new| Credentials(Access { uri: String::new() });
    First: Large => Credentials<Access> = |_new| Credentials(Access { uri: String::new() });
}

osb_lab::change_nothing!(First: Small => Large);

#[broker(dynamic)]
struct Hostile {
    first: First,
    every: Every,
    lab: Lab,
}

/// A listening broker, whose threads end with the test.
struct Served {
    /// The URL of the page, with credentials.
    page: String,
    _runtime: Runtime,
}

impl Served {
    fn new() -> Self {
        let runtime = Runtime::new().expect("threads");
        let page = runtime.block_on(async {
            let login = AcceptedCredentials::basic("reader", "secret").expect("they are good");
            let broker = Hostile { first: First, every: Every, lab: Lab::default() };
            let mut settings = HttpSettings::default();
            settings.render_docs = Some(osb_docs::page);
            let service = BrokerService::start(broker, login, settings).await.expect("it starts");
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let at = listener.local_addr().expect("its address");
            tokio::spawn(serve(listener, service, std::future::pending()));
            format!("http://reader:secret@{at}/docs")
        });
        Self { page, _runtime: runtime }
    }
}

#[test]
fn the_page_works_in_all_sizes_and_colour_schemes() {
    let Some(mut browser) = Chromium::start() else { return };
    let served = Served::new();
    for (width, height, scheme) in [(360, 800, "light"), (360, 800, "dark"), (1280, 900, "light"), (1280, 900, "dark")]
    {
        let when = format!("{width}-{scheme}");
        browser.appear(width, height, scheme);
        browser.open(&served.page);
        assert_well(&mut browser, &when);
        let faint = browser.evaluate(CONTRAST);
        assert_eq!(faint, json!([]), "{when}: text with too little contrast");
        let asked = browser.requests();
        let host = served.page.split('@').nth(1).expect("an address");
        assert!(asked.iter().all(|url| url.contains(host) || url.starts_with("data:")), "{when}: {asked:?}");
        browser.screenshot(&when);
    }
}

#[test]
fn a_long_list_of_plans_leaves_room_for_the_content_in_a_narrow_window() {
    let Some(mut browser) = Chromium::start() else { return };
    browser.appear(640, 360, "light");
    browser.open(&Served::new().page);
    let height =
        browser.evaluate("[document.querySelector('nav').offsetHeight, document.querySelector('nav').scrollHeight]");
    assert!(height[0].as_f64() <= Some(180.0) && height[0].as_f64() < height[1].as_f64(), "{height}");
    assert_well(&mut browser, "narrow-list");
}

#[test]
fn catalog_text_is_never_markup() {
    let Some(mut browser) = Chromium::start() else { return };
    browser.open(&Served::new().page);
    assert_eq!(browser.evaluate("document.title"), "Services");
    assert_eq!(browser.evaluate("document.querySelectorAll('img:not(.picture), svg, b, i, iframe, form').length"), 0);
    assert_eq!(browser.evaluate("document.scripts.length"), 1);
    let text = browser.evaluate("document.getElementById('service.first').textContent");
    assert!(text.as_str().expect("text").contains("</style><script>document.title = 'evil'</script>"), "{text}");
    // Even an injected script would not run.
    browser.evaluate("{ const own = document.createElement('script'); own.textContent = 'document.title = \"evil\"'; document.body.append(own) }");
    assert_eq!(browser.evaluate("document.title"), "Services");
    assert!(!browser.complaints().is_empty(), "the policy forbids it");
}

/// The result of the search: visible sections, rows and navigation entries, and the message.
const SHOWN: &str = "({
    said: document.getElementById('found').textContent,
    sections: [...document.querySelectorAll('.service, .plan')].filter((it) => it.checkVisibility()).map((it) => it.id),
    rows: [...document.querySelectorAll('.plan tbody tr')].filter((it) => it.checkVisibility()).map((it) => it.querySelector('th').textContent),
    entries: [...document.querySelectorAll('nav a')].filter((it) => it.checkVisibility()).length,
})";

#[test]
fn the_search_filters_and_counts() {
    let Some(mut browser) = Chromium::start() else { return };
    let served = Served::new();
    browser.open(&served.page);
    let everything = browser.evaluate(SHOWN);
    assert_eq!(everything["said"], "");
    let announced = "(({ role, ariaLive }) => [role, ariaLive])(document.getElementById('found'))";
    assert_eq!(browser.evaluate(announced), json!(["status", "polite"]), "screen readers announce the message");

    browser.press("/", None);
    assert_eq!(browser.evaluate("document.activeElement.id"), "query", "a slash focuses the search");
    browser.call("Input.insertText", json!({ "text": "RETENTION kept" }));
    let expected = json!({
        "said": "1 service, 1 plan, 1 field",
        "sections": ["service.first", "plan.first.small"],
        "rows": ["retention_days"],
        "entries": 2,
    });
    assert_eq!(browser.evaluate(SHOWN), expected);
    assert_well(&mut browser, "after a search");
    browser.screenshot("search");

    browser.call("Input.insertText", json!({ "text": " nowhere" }));
    let nothing = browser.evaluate(SHOWN);
    assert_eq!(nothing["said"], "0 services, 0 plans, 0 fields");
    assert_eq!(browser.evaluate("document.getElementById('nothing').checkVisibility()"), true);

    browser.press("Escape", None);
    assert_eq!(browser.evaluate(SHOWN), everything);

    browser.open(&format!("{}?q=retention", served.page));
    assert_eq!(browser.evaluate(SHOWN)["rows"], json!(["retention_days"]), "a link can contain a query");
    browser.evaluate("location.hash = 'plan.first.large'");
    browser.until("document.getElementById('query').value === ''");
    assert_eq!(browser.evaluate(SHOWN), everything);
    assert_eq!(browser.evaluate("document.querySelector(':target').id"), "plan.first.large", "a link shows its target");
}

#[test]
fn the_keyboard_reaches_everything_in_page_order() {
    let Some(mut browser) = Chromium::start() else { return };
    browser.appear(1280, 900, "light");
    browser.open(&Served::new().page);
    let reachable = "[...document.querySelectorAll('a[href], button, input, summary, [tabindex=\"0\"]')].filter((it) => it.checkVisibility()).length";
    let reachable = browser.evaluate(reachable).as_u64().expect("a number");
    browser.evaluate("window.reached = []; document.addEventListener('focusin', ({ target }) => reached.push(target))");
    for _ in 0..reachable {
        browser.press("Tab", None);
    }
    let order = "({
        all: new Set(reached).size,
        first: reached[0].textContent,
        backwards: reached.filter((it, i) => i > 0 && !(reached[i - 1].compareDocumentPosition(it) & Node.DOCUMENT_POSITION_FOLLOWING)).length,
        unseen: reached.filter((it) => { const { width, height } = it.getBoundingClientRect(); return !width || !height }).length,
    })";
    let expected = json!({ "all": reachable, "first": "Skip to the services", "backwards": 0, "unseen": 0 });
    assert_eq!(browser.evaluate(order), expected);
    let outline =
        "(document.activeElement.focus({ focusVisible: true }), getComputedStyle(document.activeElement).outlineStyle)";
    assert_eq!(browser.evaluate(outline), "solid", "the focus is visible");
}

#[test]
fn samples_can_be_copied() {
    let Some(mut browser) = Chromium::start() else { return };
    browser.open(&Served::new().page);
    let origin = browser.evaluate("location.origin");
    let permission = json!({ "origin": origin, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
    browser.call("Browser.grantPermissions", permission);
    browser.evaluate("document.querySelector('[id=\"plan.first.small.cf\"] button').focus()");
    browser.press("Enter", Some("\r"));
    browser.until("document.getElementById('copied').textContent !== ''");
    assert_eq!(browser.evaluate("document.getElementById('copied').textContent"), "Copied");
    let copied = browser.evaluate("navigator.clipboard.readText()");
    assert_eq!(copied, "cf create-service first small my-first -c '{\"retention_days\":7}'");
}

#[test]
fn screen_readers_get_names_and_heading_levels() {
    let Some(mut browser) = Chromium::start() else { return };
    browser.open(&Served::new().page);
    let tree = browser.call("Accessibility.getFullAXTree", json!({}));
    let mut roles = BTreeSet::new();
    let mut level = 0;
    for node in tree["nodes"].as_array().expect("nodes").iter().filter(|node| node["ignored"] == false) {
        let (role, name) = (node["role"]["value"].as_str().unwrap_or_default(), node["name"]["value"].as_str());
        roles.insert(role);
        let needs_name = ["link", "button", "searchbox", "navigation", "table", "heading", "region"];
        let named = name.is_some_and(|name| !name.trim().is_empty());
        assert!(named || !needs_name.contains(&role), "a node without a name: {node}");
        if role == "heading" {
            let property = |property: &&Value| property["name"] == "level";
            let found = node["properties"].as_array().and_then(|all| all.iter().find(property));
            let here = found.and_then(|property| property["value"]["value"].as_i64()).expect("a level");
            assert!(here <= level + 1, "heading level {here} follows {level}: {node}");
            level = here;
        }
    }
    for role in ["banner", "search", "navigation", "main", "table", "columnheader", "rowheader", "status"] {
        assert!(roles.contains(role), "there is no {role}: {roles:?}");
    }
}

/// The form for the parameters of a new instance.
fn form(plan: &str) -> String {
    format!("document.querySelector('[id=\"plan.{plan}.create\"] details.fill')")
}

/// Opens a form, which creates its fields.
fn unfold(browser: &mut Chromium, form: &str) {
    browser.evaluate(&format!("{form}.querySelector('summary').click()"));
    browser.until(&format!("{form}.querySelector('form') !== null"));
}

/// Types into the control with this label.
fn fill(browser: &mut Chromium, form: &str, label: &str, text: &str) {
    let label = json!(label);
    browser.evaluate(&format!(
        "[...{form}.querySelectorAll('label')].find((it) => it.querySelector('code').textContent === {label}).control.focus()"
    ));
    if browser.evaluate("document.activeElement.tagName") == "SELECT" {
        let text = json!(json!(text).to_string());
        browser.evaluate(&format!(
            "document.activeElement.value = {text}; for (const kind of ['input', 'change']) \
             document.activeElement.dispatchEvent(new Event(kind, {{ bubbles: true }}))"
        ));
    } else {
        browser.call("Input.insertText", json!({ "text": text }));
    }
}

/// The verdict of a form, its parameters, its command, and the errors of its fields.
fn said(browser: &mut Chromium, form: &str) -> (String, Value, String, Value) {
    let said = browser.evaluate(&format!(
        "((form) => [
            form.querySelector('.verdict').textContent,
            ...[...form.querySelectorAll('figure code')].map((code) => code.textContent),
            [...form.querySelectorAll('small.wrong')].map((it) => it.textContent).filter((it) => it),
        ])({form})"
    ));
    let text = |i: usize| said[i].as_str().expect("text").to_owned();
    (text(0), serde_json::from_str(&text(1)).expect("JSON"), text(2), said[3].clone())
}

#[test]
fn a_form_builds_and_validates_parameters() {
    let Some(mut browser) = Chromium::start() else { return };
    browser.appear(360, 800, "dark");
    browser.open(&Served::new().page);
    let first = form("first.small");
    unfold(&mut browser, &first);
    let (verdict, parameters, command, wrong) = said(&mut browser, &first);
    assert_eq!((verdict.as_str(), parameters, wrong), ("These parameters are valid.", json!({}), json!([])));
    assert_eq!(command, "cf create-service first small my-first -c '{}'");

    fill(&mut browser, &first, "retention_days", "400");
    let (verdict, parameters, _, wrong) = said(&mut browser, &first);
    assert_eq!((verdict.as_str(), parameters), ("1 problem", json!({ "retention_days": 400 })));
    assert_eq!(wrong, json!(["must be at most 365"]));
    assert_eq!(browser.evaluate("document.activeElement.getAttribute('aria-invalid')"), "true");
    assert_well(&mut browser, "with invalid input");
    assert_eq!(browser.evaluate(CONTRAST), json!([]));

    for object in ["{}", "{ 'a/b~': 1, 'c/d': 2 }"] {
        let schema = "{ required: ['a/b~'], properties: { 'a/b~': { type: 'string' } }, additionalProperties: false }";
        let at = browser.evaluate(&format!("check({schema}, {object}).map(({{ at }}) => at)"));
        let expected: &[&str] = if object == "{}" { &["/a~1b~0"] } else { &["/a~1b~0", "/c~1d"] };
        assert_eq!(at, json!(expected), "{object}");
    }

    // A plan with parameters of all kinds.
    let rich = form("every.rich");
    unfold(&mut browser, &rich);
    fill(&mut browser, &rich, "fives", "10");
    let (verdict, _, _, wrong) = said(&mut browser, &rich);
    assert_eq!((verdict.as_str(), wrong), ("1 problem", json!(["is required"])), "the name");
    for (label, text) in [
        ("ratio", "0.5"),
        ("name", "it"),
        ("target.kind", "Bucket"),
        ("which", "Red\nBlue"),
        ("hour", "7"),
        ("without", "mon\ntue"),
        ("labels", "{\"a\": \"it's\"}"),
    ] {
        fill(&mut browser, &rich, label, text);
    }
    assert_eq!(said(&mut browser, &rich).3, json!(["is required"]), "the bucket's name");
    browser.evaluate(&format!("[...{rich}.querySelectorAll('fieldset:not([hidden])')].find((it) => it.querySelector('legend').textContent === 'kind = Bucket').querySelector('input').focus()"));
    browser.call("Input.insertText", json!({ "text": "b" }));
    let (verdict, parameters, command, wrong) = said(&mut browser, &rich);
    let expected = json!({
        "fives": 10,
        "ratio": 0.5,
        "name": "it",
        "target": { "kind": "Bucket", "name": "b" },
        "which": ["Red", "Blue"],
        "window": { "hour": 7, "without": ["mon", "tue"] },
        "labels": { "a": "it's" },
    });
    assert_eq!((verdict.as_str(), &parameters, wrong), ("These parameters are valid.", &expected, json!([])));
    let create = EveryBroker::OFFERINGS[0].plans[0].create.expect("it takes parameters");
    assert_eq!(create.check(&parameters), Ok(()), "the broker accepts them, too");
    assert!(command.ends_with(r#""labels":{"a":"it'\''s"}}'"#), "{command}");
    assert_well(&mut browser, "with forms");
    browser.screenshot("form");

    // Values can be reset.
    let update = form("every.rich").replace("create", "update");
    unfold(&mut browser, &update);
    for (label, text) in [("fives", "null"), ("target.kind", "Nowhere"), ("which", "null")] {
        fill(&mut browser, &update, label, text);
    }
    let (verdict, parameters, command, _) = said(&mut browser, &update);
    let expected = json!({ "fives": null, "target": { "kind": "Nowhere" }, "which": null });
    assert_eq!((verdict.as_str(), &parameters), ("These parameters are valid.", &expected));
    assert!(command.starts_with("cf update-service my-every -c '"), "{command}");
}

/// Objects with one or two members.
fn values() -> Vec<Value> {
    let pool = all_parameter_types::values();
    let names = ["fives", "ratio", "name", "target", "which", "window", "labels", "tree", "other", "read_only"];
    let one = |name: &str, value: &Value| json!({ name: value });
    let mut values: Vec<Value> = names.iter().flat_map(|name| pool.iter().map(move |value| one(name, value))).collect();
    for (name, good) in [("name", json!("it")), ("tree", json!({ "size": 1 }))] {
        let more: Vec<_> = values
            .iter()
            .map(|value| {
                let mut value = value.clone();
                value[name] = good.clone();
                value
            })
            .collect();
        values.extend(more);
    }
    values.push(json!({}));
    values
}

#[test]
fn the_page_and_the_broker_agree_on_valid_parameters() {
    let Some(mut browser) = Chromium::start() else { return };
    browser.open(&Served::new().page);
    let plans = EveryBroker::OFFERINGS[0].plans;
    for (part, info) in [
        ("rich.create", plans[0].create),
        ("rich.update", plans[0].update),
        ("rich.bind", plans[0].bind),
        ("elsewhere.create", plans[1].create),
    ] {
        let info = info.expect("it takes parameters");
        let values = values();
        let verdicts = browser.evaluate(&format!(
            "((schema) => {}.map((value) => check(schema, value)))\
             (JSON.parse(document.querySelector('[id=\"plan.every.{part}\"] details.fill').dataset.schema))",
            json!(values)
        ));
        let mut good = 0;
        for (value, problems) in values.iter().zip(verdicts.as_array().expect("one for each")) {
            let (ours, theirs) = (problems == &json!([]), info.check(value));
            // For foreign types the broker checks only that they deserialize.
            let agreed = ours == theirs.is_ok() || (!ours && part.starts_with("elsewhere"));
            assert!(agreed, "{part} {value}: {problems} and {theirs:?}");
            good += usize::from(theirs.is_ok());
        }
        assert!(good >= 2, "{part}: {good} of {}", values.len());
    }
}

#[test]
fn the_page_leaves_to_the_broker_what_browsers_cannot_check() {
    let Some(mut browser) = Chromium::start() else { return };
    browser.open(&Served::new().page);
    let pattern = |pattern: &str| json!({ "type": "string", "pattern": pattern });
    let names = json!({ "type": "object", "patternProperties": { "(?P<a>x)": {} }, "additionalProperties": false });
    for (schema, value, problems) in [
        (pattern(r"^a\-b$"), json!("a-b"), json!([])),
        (pattern(r"^a\-b$"), json!("ab"), json!([r"must match ^a\-b$"])),
        (pattern("(?P<a>x)"), json!("y"), json!([])),
        (names, json!({ "y": 1 }), json!([])),
        (json!({ "type": "integer" }), json!(9_007_199_254_740_991_u64), json!([])),
        (
            json!({ "type": "integer" }),
            json!(9_007_199_254_740_993_u64),
            json!(["is too large for this page; write it into the JSON yourself"]),
        ),
        (json!({ "type": "number" }), json!(1e300), json!([])),
    ] {
        let found = browser.evaluate(&format!("check({schema}, {value}).map(({{ what }}) => what)"));
        assert_eq!(found, problems, "{schema} {value}");
    }
}
