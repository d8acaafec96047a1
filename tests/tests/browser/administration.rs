//! The page for operators, over a listening broker whose users write markup into names and failures.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use osb_client::{Call, Client};
use osb_runtime::{
    http::{AcceptedCredentials, BrokerService, HttpSettings, serve, serve_admin},
    prelude::*,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    runtime::Runtime,
};

use crate::chromium::{CONTRAST, Chromium, assert_well};

const MARKUP: &str = "<script>document.title = 'evil'</script><img src=x onerror=\"document.title='evil'\">";
const SERVICE: &str = "a4fb5a3e-3b1e-4a5b-9d0e-52d2f0c10001";
const PLAN: &str = "a4fb5a3e-3b1e-4a5b-9d0e-52d2f0c10002";
const SECRET: &str = "a-secret-of-the-user";

/// A gadget.
#[service(id = "a4fb5a3e-3b1e-4a5b-9d0e-52d2f0c10001", name = "gadget", plans(Plain))]
struct Gadget {
    /// Deletions are refused while it is set; that of the instance `broken` fails.
    is_stuck: Arc<AtomicBool>,
}

/// A plain one.
#[plan(id = "a4fb5a3e-3b1e-4a5b-9d0e-52d2f0c10002", name = "plain", create = Wanted, bindable)]
struct Plain;

/// The parameters of a gadget.
#[parameters]
struct Wanted {
    /// A password.
    #[param(secret)]
    password: Option<String>,
}

/// Access to a gadget.
#[credentials]
struct Access {
    /// Where.
    uri: String,
}

impl Provision<Plain> for Gadget {
    type State = ();
    async fn provision(
        &self,
        _: ProvisionRequest<Plain>,
        _: &Operation<()>,
    ) -> Result<Provisioned<()>, ProvisionError> {
        Ok(Provisioned::new(()))
    }
    async fn deprovision(
        &self,
        request: DeprovisionRequest<Plain, ()>,
        _: &Operation<()>,
    ) -> Result<(), DeprovisionError> {
        match (self.is_stuck.load(Ordering::Relaxed), request.id()) {
            (false, _) => Ok(()),
            (true, "broken") => Err(DeprovisionError::unexpected("no disk")),
            (true, "slow") => std::future::pending().await,
            (true, _) => Err(DeprovisionError::refused(format!("The disk {MARKUP} is busy."))),
        }
    }
}

osb_lab::bind_nothing!(Gadget: Plain => Credentials<Access> = |_new| Credentials(Access { uri: SECRET.to_owned() }););

#[broker]
struct Broker(Gadget);

/// A listening broker, whose threads end with the test.
struct Served {
    is_stuck: Arc<AtomicBool>,
    client: Client,
    /// The URL of the page, with credentials.
    page: String,
    runtime: Runtime,
}

impl Served {
    fn new() -> Self {
        let (runtime, is_stuck) = (Runtime::new().expect("threads"), Arc::new(AtomicBool::new(true)));
        let (client, page) = runtime.block_on(async {
            let login = |user: &str| AcceptedCredentials::basic(user, "secret").expect("they are good");
            let broker = Broker(Gadget { is_stuck: Arc::clone(&is_stuck) });
            let service =
                BrokerService::start(broker, login("user"), HttpSettings::default()).await.expect("it starts");
            let [platforms, operators] = [listener().await, listener().await];
            let [at, page] = [&platforms, &operators].map(|one| one.local_addr().expect("its address"));
            tokio::spawn(serve_admin(operators, service.admin(login("operator")), std::future::pending()));
            tokio::spawn(serve(platforms, service, std::future::pending()));
            let client = Client::new(&format!("http://{at}")).expect("a URL").basic("user", "secret");
            (client, format!("http://operator:secret@{page}/"))
        });
        Self { is_stuck, client, page, runtime }
    }

    fn provision(&self, id: &str, name: &str) {
        let call = Call::provision(id, SERVICE, PLAN).parameters(json!({ "password": SECRET }));
        let context = json!({ "platform": "cloudfoundry", "instance_name": name });
        let call = call.field("organization_guid", "o".into()).field("space_guid", "s".into());
        let answer = self.runtime.block_on(self.client.send(&call.field("context", context))).expect("an answer");
        assert_eq!(answer.status, 201, "{answer:?}");
    }

    fn fail_to_delete(&self, id: &str) {
        let call = Call::deprovision(id, SERVICE, PLAN);
        let answer = self.runtime.block_on(self.client.send(&call)).expect("an answer");
        assert_eq!(answer.status, if id == "broken" { 500 } else { 422 }, "{answer:?}");
    }
}

async fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").await.expect("a free port")
}

/// Starts a browser, if there is one, and a broker with these instances.
fn start(instances: &[&str]) -> Option<(Chromium, Served)> {
    let (browser, served) = (Chromium::start()?, Served::new());
    for id in instances {
        served.provision(id, "Shop");
    }
    Some((browser, served))
}

/// The message, and the ids in the list.
const SHOWN: &str = "({
    said: document.getElementById('said').textContent,
    ids: [...document.querySelectorAll('tbody th code')].map((it) => it.textContent),
})";

/// Waits for a message.
fn said(browser: &mut Chromium, text: &str) {
    browser.until(&format!("document.getElementById('said').textContent === {}", json!(text)));
}

/// Clicks the button with this text in the row of an instance.
fn click(browser: &mut Chromium, id: &str, button: &str) {
    let [id, button] = [id, button].map(|text| json!(text));
    browser.evaluate(&format!(
        "{{
            const row = [...document.querySelectorAll('tbody tr')].find((row) => row.querySelector('code').textContent === {id});
            [...row.querySelectorAll('button')].find((it) => it.textContent === {button}).click();
        }}"
    ));
}

fn search(browser: &mut Chromium, words: &str) {
    browser.evaluate("document.getElementById('search').focus(), document.getElementById('search').select()");
    browser.call("Input.insertText", json!({ "text": words }));
    browser.evaluate("document.getElementById('filter').requestSubmit()");
}

#[test]
fn texts_of_users_are_never_markup_and_secrets_are_not_shown() {
    let Some((mut browser, served)) = start(&[]) else { return };
    served.provision("<b>one</b>", MARKUP);
    served.fail_to_delete("<b>one</b>");
    for (width, height, scheme) in [(360, 800, "light"), (360, 800, "dark"), (1280, 900, "light"), (1280, 900, "dark")]
    {
        let when = format!("administration-{width}-{scheme}");
        browser.appear(width, height, scheme);
        browser.open(&served.page);
        said(&mut browser, "1 instance.");
        assert_eq!(browser.evaluate(SHOWN)["ids"], json!(["<b>one</b>"]));
        click(&mut browser, "<b>one</b>", "Details");
        for contains in ["disk <script>document.title", "deprovision failed", "instance name", "422"] {
            let text = browser.evaluate("document.body.innerText");
            assert!(text.as_str().is_some_and(|text| text.contains(contains)), "{contains} in {text}");
        }
        assert_well(&mut browser, &when);
        assert_eq!(browser.evaluate(CONTRAST), json!([]), "{when}: text with too little contrast");
        let apart = "[...document.querySelectorAll('label')].filter((label) => label.getBoundingClientRect().top > label.control.getBoundingClientRect().bottom || label.getBoundingClientRect().bottom < label.control.getBoundingClientRect().top).length";
        assert_eq!(browser.evaluate(apart), 0, "{when}: a label is on another line than its field");
        browser.screenshot(&when);
        assert_eq!(browser.evaluate("document.querySelectorAll('img, b').length"), 0);
        assert_eq!(browser.evaluate("document.scripts.length"), 1);
        assert_eq!(browser.evaluate(&format!("document.documentElement.outerHTML.includes('{SECRET}')")), false);
        assert_eq!(browser.evaluate("document.title"), "Instances – Administration");
    }
    let host = served.page.split('@').nth(1).expect("an address").to_owned();
    assert!(browser.requests().iter().all(|url| url.contains(&host) || url.starts_with("data:")));
    // Even an injected script would not run.
    browser.evaluate("{ const own = document.createElement('script'); own.textContent = 'document.title = \"evil\"'; document.body.append(own) }");
    assert_eq!(browser.evaluate("document.title"), "Instances – Administration");
    assert!(!browser.complaints().is_empty(), "the policy forbids it");
}

/// Answers requests below the path `/admin`, with or without a slash at its end, as a program that mounts the page there.
async fn mount(at: TcpListener, page: String) {
    while let Ok((mut stream, _)) = at.accept().await {
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).await.is_ok_and(|read| read > 0) {
            head.extend(byte);
        }
        let head = String::from_utf8(head).expect("text");
        // Browsers open connections that they don't use.
        let Some((method, path)) = head.split_once(" /admin") else { continue };
        let path = format!("/{}", path.trim_start_matches('/'));
        let head = format!("{method} {path}").replace("keep-alive", "close");
        let mut inner = TcpStream::connect(&page).await.expect("the page is served");
        inner.write_all(head.as_bytes()).await.expect("sent");
        let _ = tokio::io::copy(&mut inner, &mut stream).await;
    }
}

#[test]
fn the_page_works_below_a_path_with_or_without_a_slash_at_its_end() {
    let Some((mut browser, served)) = start(&["one"]) else { return };
    let (credentials, page) = served.page.strip_suffix('/').and_then(|url| url.split_once('@')).expect("both");
    let at = served.runtime.block_on(listener());
    let url = format!("{credentials}@{}/admin", at.local_addr().expect("its address"));
    served.runtime.spawn(mount(at, page.to_owned()));
    for end in ["", "/", "?"] {
        browser.open(&format!("{url}{end}"));
        said(&mut browser, "1 instance.");
    }
}

#[test]
fn lists_are_filtered_and_searched_and_paged() {
    let Some((mut browser, served)) = start(&[]) else { return };
    for number in 0..101 {
        served.provision(&format!("i-{number:03}"), &format!("Shop {number}"));
    }
    served.fail_to_delete("i-007");
    browser.open(&served.page);
    said(&mut browser, "100 instances, and more on the next page.");
    browser.evaluate("document.getElementById('next').scrollIntoView()");
    assert_ne!(browser.evaluate("scrollY"), 0);
    browser.evaluate("document.getElementById('next').click()");
    // Before the answer, because the shorter page would also scroll to the top.
    browser.until("location.hash.includes('after')");
    assert_eq!(browser.evaluate("[scrollY, document.activeElement.id]"), json!([0, "said"]));
    said(&mut browser, "1 instance.");
    assert_eq!(browser.evaluate(SHOWN)["ids"], json!(["i-100"]));
    browser.evaluate("document.getElementById('first').click()");
    said(&mut browser, "100 instances, and more on the next page.");

    browser.press("/", None);
    assert_eq!(browser.evaluate("document.activeElement.id"), "search", "a slash focuses the search");
    search(&mut browser, "shop BUSY");
    said(&mut browser, "1 instance.");
    assert_eq!(browser.evaluate(SHOWN)["ids"], json!(["i-007"]));
    search(&mut browser, "nowhere");
    said(&mut browser, "No instances.");
    browser.evaluate("history.back()");
    said(&mut browser, "1 instance.");
    assert_eq!(browser.evaluate("document.getElementById('search').value"), "shop BUSY");

    browser.evaluate("[...document.querySelectorAll('nav a')].find((it) => it.textContent === 'Failures').click()");
    said(&mut browser, "1 operation.");
    let row = browser.evaluate("document.querySelector('tbody tr').innerText");
    let row = row.as_str().expect("text");
    assert!(row.contains("deprovision failed") && row.contains("instance i-007") && row.contains(" s"), "{row}");
    let current = "document.querySelector('nav [aria-current]').textContent";
    assert_eq!(browser.evaluate(current), "Failures");
    let phases = "document.getElementById('phase').selectedOptions[0].text";
    assert_eq!(browser.evaluate(phases), "all", "the operations include those of deleted instances");
    browser.evaluate("history.back()");
    said(&mut browser, "1 instance.");
    assert_eq!(browser.evaluate(phases), "all that exist");
}

#[test]
fn a_deletion_is_retried_and_an_instance_purged_after_a_confirmation() {
    let Some((mut browser, served)) = start(&["broken", "kept", "lost"]) else { return };
    served.fail_to_delete("broken");
    browser.open(&served.page);
    said(&mut browser, "3 instances.");
    let buttons = "[...document.querySelectorAll('tbody tr')].map((row) => [...row.querySelectorAll('button')].map((it) => it.textContent).join())";
    assert_eq!(browser.evaluate(buttons), json!(["Details,Retry,Purge", "Details,Purge", "Details,Purge"]));
    let phases = "[...document.querySelectorAll('[data-column=Phase]')].map((cell) => cell.textContent)";
    assert_eq!(browser.evaluate(phases), json!(["deletion failed", "ready", "ready"]), "in the words of the filter");

    click(&mut browser, "kept", "Purge");
    assert_eq!(browser.evaluate("document.querySelector('dialog[open] .subject').textContent"), "instance kept");
    assert_eq!(browser.evaluate("document.activeElement.textContent"), "Close", "Enter changes nothing");
    browser.press("Enter", Some("\r"));
    browser.until("document.querySelector('dialog[open]') === null");

    click(&mut browser, "broken", "Retry");
    browser.evaluate("document.getElementById('go').click()");
    browser.until("document.querySelector('#confirm .error').textContent.includes('failed')");
    assert_eq!(browser.evaluate("document.activeElement.id"), "go", "Enter tries again");
    served.is_stuck.store(false, Ordering::Relaxed);
    browser.evaluate("document.getElementById('go').click()");
    said(&mut browser, "The broker has deleted it. 2 instances.");
    assert_eq!(browser.evaluate("document.activeElement.id"), "said");

    click(&mut browser, "lost", "Purge");
    browser.evaluate("document.getElementById('go').click()");
    said(&mut browser, "The broker has deleted it. 1 instance.");
    assert_eq!(browser.evaluate(SHOWN)["ids"], json!(["kept"]));
}

#[test]
fn a_running_operation_is_cancelled_after_a_confirmation() {
    let Some((mut browser, served)) = start(&["slow"]) else { return };
    let call = Call::deprovision("slow", SERVICE, PLAN).accepts_incomplete();
    assert_eq!(served.runtime.block_on(served.client.send(&call)).expect("an answer").status, 202);
    browser.open(&served.page);
    said(&mut browser, "1 instance.");
    click(&mut browser, "slow", "Cancel");
    assert_eq!(browser.evaluate("document.getElementById('confirm-title').textContent"), "Cancel the operation?");
    browser.evaluate("document.getElementById('go').click()");
    said(&mut browser, "The operation ends soon. 1 instance.");
}

#[test]
fn the_confirmation_for_a_binding_does_not_mention_bindings_of_it() {
    let Some((mut browser, served)) = start(&["one"]) else { return };
    let bind = served.runtime.block_on(served.client.send(&Call::bind("one", "key", SERVICE, PLAN)));
    assert_eq!(bind.expect("an answer").status, 201);
    browser.open(&served.page);
    said(&mut browser, "1 instance.");
    let text = "document.getElementById('confirm-text').textContent";
    click(&mut browser, "one", "Purge");
    let of_instance = browser.evaluate(text);
    assert!(of_instance.as_str().is_some_and(|text| text.contains("Its bindings")), "{of_instance}");
    browser.evaluate("document.getElementById('confirm').close(), location.hash = 'bindings'");
    said(&mut browser, "1 binding.");
    click(&mut browser, "key", "Purge");
    let of_binding = browser.evaluate(text);
    assert!(of_binding.as_str().is_some_and(|text| !text.contains("bindings")), "{of_binding}");
    browser.evaluate("document.getElementById('go').click()");
    said(&mut browser, "The broker has deleted it. No bindings.");
}

/// Such a character reverses the text after it, so that an id looks like another one.
#[test]
fn no_id_changes_the_direction_of_the_text() {
    let Some((mut browser, served)) = start(&[]) else { return };
    served.provision("i\u{202e}321", "Shop \u{2067}x");
    browser.open(&served.page);
    said(&mut browser, "1 instance.");
    click(&mut browser, "i\u{fffd}321", "Purge");
    let subject = browser.evaluate("document.querySelector('dialog[open] .subject').textContent");
    assert_eq!(subject, "instance i\u{fffd}321");
    let text = browser.evaluate("document.body.innerText");
    assert!(text.as_str().is_some_and(|text| !text.contains(['\u{202e}', '\u{2067}'])), "{text}");
}

/// Browsers resolve `..`, even percent-encoded: the request for a binding with this id would reach its instance.
#[test]
fn an_action_on_a_binding_whose_id_browsers_resolve_does_not_reach_its_instance() {
    let Some((mut browser, served)) = start(&["one"]) else { return };
    let bind = served.runtime.block_on(served.client.send(&Call::bind("one", "..", SERVICE, PLAN)));
    assert_eq!(bind.expect("an answer").status, 201);
    served.is_stuck.store(false, Ordering::Relaxed);
    browser.open(&format!("{}#bindings", served.page));
    said(&mut browser, "1 binding.");
    click(&mut browser, "..", "Purge");
    browser.evaluate("document.getElementById('go').click()");
    // Either the action is refused, or it has ended and closed the dialog.
    browser.until(
        "document.querySelector('#confirm .error').textContent !== '' || !document.querySelector('dialog[open]')",
    );
    let error = browser.evaluate("document.querySelector('#confirm .error').textContent");
    assert!(error.as_str().is_some_and(|text| text.contains("command `purge`")), "{error}");
    let kept = served.runtime.block_on(served.client.send(&Call::poll("one", Some("..")))).expect("an answer");
    assert_eq!((kept.status.as_u16(), &kept.body["state"]), (200, &json!("succeeded")), "nothing was deleted");
}

#[test]
fn the_keyboard_reaches_the_actions_in_page_order() {
    let Some((mut browser, served)) = start(&["one"]) else { return };
    browser.appear(1280, 900, "light");
    browser.open(&served.page);
    said(&mut browser, "1 instance.");
    browser.evaluate("window.reached = []; document.addEventListener('focusin', ({ target }) => reached.push(target.textContent.trim() || target.id))");
    for _ in 0..13 {
        browser.press("Tab", None);
    }
    let reached: Value = browser.evaluate("reached.map((text) => text.split('\\n')[0])");
    let expected = [
        "Skip to the list",
        "Instances",
        "Bindings",
        "Operations",
        "Failures",
        "search",
        "all that exist",
        "all",
        "Search",
        "Refresh",
    ];
    let all: Vec<&str> = reached.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert_eq!(all[..expected.len()], expected);
    assert_eq!(all[all.len() - 2..], ["Details", "Purge"], "{all:?}");
    browser.press("Enter", Some("\r"));
    browser.until("document.querySelector('dialog[open]') !== null");
}
