//! Chromium, driven over a pipe by the DevTools protocol.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// The maximum time to wait for a condition.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A browser with one page. Dropping it ends the process.
pub(crate) struct Chromium {
    child: Child,
    send: ChildStdin,
    receive: BufReader<ChildStdout>,
    next: u64,
    session: Option<String>,
    events: VecDeque<Value>,
    _profile: tempfile::TempDir,
}

/// Finds the program; Debian's package is `chromium`.
fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|candidate| candidate.is_file())
}

impl Chromium {
    /// Starts the browser. Returns `None` with a message if it is not installed, which is a failure on CI.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    /// Starts the browser with more flags.
    pub(crate) fn start_with(flags: &[&str]) -> Option<Self> {
        let Some(program) = program() else {
            osb_throwaway_postgres::skip("Chromium", "apt-get install chromium");
            return None;
        };
        let profile = tempfile::tempdir().expect("a temporary folder is created");
        // The browser reads commands from descriptor 3 and writes to 4; a shell redirects them.
        let mut child = Command::new("sh")
            .args(["-c", r#"exec "$@" 3<&0 4>&1 0</dev/null 1>/dev/null 2>&1"#, "sh"])
            .arg(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe"])
            .args(flags)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            // It leaves folders there when it is killed.
            .env("TMPDIR", profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let send = child.stdin.take().expect("it is piped");
        let receive = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut this =
            Self { child, send, receive, next: 0, session: None, events: VecDeque::new(), _profile: profile };
        let target = this.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        this.session = this.call("Target.attachToTarget", attach)["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            this.call(&format!("{domain}.enable"), json!({}));
        }
        Some(this)
    }

    /// Calls a method and waits for its result.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.send.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        loop {
            let answer = self.read();
            if answer["id"] == id {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push_back(answer);
        }
    }

    fn read(&mut self) -> Value {
        let mut message = Vec::new();
        self.receive.read_until(0, &mut message).expect("the browser answers");
        assert_eq!(message.pop(), Some(0), "the browser has ended");
        serde_json::from_slice(&message).expect("it is JSON")
    }

    /// Opens a URL, and waits until the page is loaded.
    pub(crate) fn open(&mut self, url: &str) {
        self.events.clear();
        let navigation = self.call("Page.navigate", json!({ "url": url }));
        assert!(navigation["errorText"].is_null(), "{url}: {navigation}");
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let event = self.read();
            self.events.push_back(event);
        }
    }

    /// Evaluates an expression in the page.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.call("Runtime.evaluate", parameters);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub(crate) fn until(&mut self, expression: &str) {
        let begun = Instant::now();
        while self.evaluate(expression) != true {
            assert!(begun.elapsed() < TIMEOUT, "timed out waiting for: {expression}");
        }
    }

    /// Presses a key, and enters its text if there is one.
    pub(crate) fn press(&mut self, key: &str, text: Option<&str>) {
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({ "type": kind, "key": key, "code": key });
            if let Some((_, code)) = [("Tab", 9), ("Enter", 13)].into_iter().find(|(name, _)| *name == key) {
                event["windowsVirtualKeyCode"] = code.into();
            }
            if let Some(text) = text.filter(|_| kind == "keyDown") {
                event["text"] = text.into();
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Sets the size of the window and the preferred colour scheme.
    pub(crate) fn appear(&mut self, width: u32, height: u32, scheme: &str) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Returns errors and warnings since the page was opened, including violations of the Content Security Policy.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let complaint = |event: &&Value| {
            let what = &event["params"];
            match event["method"].as_str() {
                Some("Runtime.exceptionThrown") => true,
                Some("Runtime.consoleAPICalled") => what["type"] == "error" || what["type"] == "warning",
                Some("Log.entryAdded") => what["entry"]["level"] == "error" || what["entry"]["level"] == "warning",
                _ => false,
            }
        };
        self.events.iter().filter(complaint).map(|event| event["params"].to_string()).collect()
    }

    /// Returns the URLs requested since the page was opened.
    pub(crate) fn requests(&self) -> Vec<String> {
        let sent = self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        sent.map(|event| event["params"]["request"]["url"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Writes a screenshot to the directory in `OSB_SCREENSHOTS`, if it is set.
    pub(crate) fn screenshot(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("OSB_SCREENSHOTS") else { return };
        let picture = self.call("Page.captureScreenshot", json!({ "captureBeyondViewport": true, "format": "png" }));
        let base64 = picture["data"].as_str().expect("a picture");
        let mut decode = Command::new("base64")
            .arg("-d")
            .stdin(Stdio::piped())
            .stdout(std::fs::File::create(PathBuf::from(folder).join(format!("{name}.png"))).expect("a file"))
            .spawn()
            .expect("the program runs");
        decode.stdin.take().expect("it is piped").write_all(base64.as_bytes()).expect("it reads");
        assert!(decode.wait().expect("it ends").success());
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asserts that the page has no errors and does not overflow the window.
pub(crate) fn assert_well(browser: &mut Chromium, when: &str) {
    assert_eq!(browser.complaints(), [""; 0], "{when}");
    let overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    assert_eq!(browser.evaluate(overflow), 0, "{when}: the page is wider than the window");
}

/// Texts with too little contrast to their background (WCAG 1.4.3).
pub(crate) const CONTRAST: &str = r"
(() => {
  const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = numbers(colour).map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (numbers(colour)[3] !== 0) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const faint = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.matches('script, style')) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))].sort((a, b) => b - a);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) faint.add(`${element.tagName}.${element.className}: ${ratio.toFixed(2)}`);
  }
  return [...faint];
})()
";
