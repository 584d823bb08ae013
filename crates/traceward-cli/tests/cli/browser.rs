//! Chromium without a window, driven through a pipe by its own protocol.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The names that Chromium has.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The longest time that an answer may take: whoever waits longer waits for nothing.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one tab.
pub struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    session: Option<String>,
    asked: u64,
    events: Vec<Value>,
}

impl Browser {
    /// Starts a browser whose own files are in a folder.
    pub fn start(folder: &Path) -> Self {
        let program = program();
        // It reads from descriptor 3 and writes to 4, which the shell ties to our pipe.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 >/dev/null", "sh"])
            .arg(&program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
            .args(["--disable-background-networking", "--remote-debugging-pipe", "--window-size=1200,900"])
            .arg(format!("--user-data-dir={}", folder.join("browser").display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for message in output.split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("JSON");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut browser = Self { child, input, messages, session: None, asked: 0, events: Vec::new() };
        browser.open_tab();
        browser
    }

    fn open_tab(&mut self) {
        let tab = self.ask("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let session = self.ask("Target.attachToTarget", json!({ "targetId": tab, "flatten": true }));
        self.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.ask(&format!("{domain}.enable"), json!({}));
        }
    }

    /// Asks for something and waits for the answer.
    pub fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.asked += 1;
        let mut message = json!({ "id": self.asked, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.input.write_all(format!("{message}\0").as_bytes()).expect("a browser that listens");
        let id = json!(self.asked);
        loop {
            let message = self.next();
            if message["id"] == id {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            self.events.push(message);
        }
    }

    fn next(&mut self) -> Value {
        self.messages.recv_timeout(PATIENCE).expect("an answer of the browser")
    }

    /// Opens a page and waits until it is there.
    pub fn open(&mut self, page: &Path) {
        self.events.clear();
        self.ask("Page.navigate", json!({ "url": format!("file://{}", page.display()) }));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let event = self.next();
            self.events.push(event);
        }
        assert_eq!(self.value("document.documentElement.dataset.ready"), "yes", "{:?}", self.complaints());
    }

    /// The value of an expression in the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.ask("Runtime.evaluate", parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// The text of an expression in the page.
    pub fn text(&mut self, expression: &str) -> String {
        let value = self.value(expression);
        value.as_str().map_or_else(|| panic!("{expression}: {value}"), str::to_owned)
    }

    /// Presses a key where the focus is.
    pub fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            let code = if key == "Tab" { 9 } else { 0 };
            self.ask("Input.dispatchKeyEvent", json!({ "type": kind, "key": key, "windowsVirtualKeyCode": code }));
        }
    }

    /// What the page complained about, and what it tried to fetch beside itself.
    pub fn complaints(&mut self) -> Vec<String> {
        self.value("0");
        let is_complaint = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded") => true,
            Some("Network.requestWillBeSent") => event["params"]["type"] != "Document",
            _ => false,
        };
        self.events.iter().filter(is_complaint).map(ToString::to_string).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The browser that is installed.
fn program() -> PathBuf {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
    let programs = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let found = programs.into_iter().find(|program| program.is_file());
    found.expect("Chromium is needed to look at pages: install your distribution's package `chromium`")
}
