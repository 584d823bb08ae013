//! Pages to look at, as a browser shows them.

use crate::browser::Browser;
use crate::common::Folder;
use crate::transcripts::session;
use serde_json::json;
use std::fmt::Write;
use std::path::Path;

/// Runs the program with `--html page.html` and returns its exit status.
fn write_page(folder: &Folder, arguments: &[&str]) -> i32 {
    let arguments = [arguments, &["--html", "page.html", "--quiet"]].concat();
    let output = folder.run(&arguments, b"");
    assert!(folder.path("page.html").exists(), "{}{}", output.stdout, output.stderr);
    output.status
}

const REQUESTS: &str = "request,grant,load\n1,0,3\n0,0,4\n0,1,4\n1,0,5\n0,0,5\n0,0,7\n";

#[test]
fn a_page_shows_what_was_owed() {
    let folder = Folder::new("page-owed");
    folder.write("t.csv", REQUESTS);
    let spec = "property granted \"a grant within two steps\" = G(request -> F[0,2] grant)\n\
                property busy = G(load > 9 -> X grant)\nquery loads = histogram(2, load)\nquery most = max(load)\n";
    folder.write("p.tw", spec);
    assert_eq!(write_page(&folder, &["check", "p.tw", "t.csv"]), 1);
    let mut browser = Browser::start(&folder.path(""));
    browser.open(&folder.path("page.html"));

    let title = "1 of 2 properties violated, 1 satisfied, vacuously – t.csv – Traceward";
    assert_eq!(browser.value("document.title"), title);
    assert_eq!(browser.value("document.documentElement.lang"), "en");
    let headings = "[...document.querySelectorAll('h1, h2, h3')].map((one) => one.textContent)";
    let expected = json!([
        "1 of 2 properties violated, 1 satisfied, vacuously",
        "t.csv",
        "✗ violatedgranted",
        "⚠ satisfied, vacuouslybusy",
        "loads",
        "most"
    ]);
    assert_eq!(browser.value(headings), expected);
    assert_eq!(browser.value("document.querySelector('.why').textContent"), "`F[0,2] grant`: it never came");
    assert_eq!(browser.value("document.querySelector('summary').textContent.split(':')[0]"), "position 3 (line 5)");
    assert_eq!(browser.value("document.querySelector('article p').textContent"), "a grant within two steps");
    let vacuous = "`load > 9` never holds, so the property asked nothing of this trace.";
    assert_eq!(browser.value("document.querySelector('.note').textContent"), vacuous);
    assert_eq!(browser.value("document.querySelector('.number').textContent"), "7");
    let bars = "[...document.querySelectorAll('.bars tr')].map((one) => one.textContent)";
    assert_eq!(browser.value(bars), json!(["3 to 53", "5 to 73"]));
    the_timeline_is_that_of_the_violation(&mut browser);
    keys_lead_through_the_timeline(&mut browser);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// The violation is at position 3, and what was owed at position 5 at the latest.
fn the_timeline_is_that_of_the_violation(browser: &mut Browser) {
    let rows = "Object.fromEntries([...document.querySelectorAll('.wave tr')].map((row) => \
                [row.cells[0].textContent, [...row.cells].slice(1).map((cell) => cell.textContent).join(' ')]))";
    let rows = browser.value(rows);
    assert_eq!(rows["position"], "0 1 2 3 4 5");
    assert_eq!(rows["line"], "2 3 4 5 6 7");
    assert_eq!(rows["request"], "true false false true false false");
    assert_eq!(rows["grant"], "false false true false false false");
    assert_eq!(rows["request -> F[0,2] grant"], "true true true false true true");
    assert_eq!(
        rows["asked: F[0,2] grant"].as_str().map(str::trim),
        Some("?asked here  ✗`grant` is false throughout; the window ends here")
    );
    assert_eq!(rows["F[0,2] grant"], "true true true false false false");
    let lane = "[...document.querySelector('.wave tbody tr').cells].slice(1).map((cell) => \
                [cell.className.split(' ')[0], cell.querySelector('.mark')?.textContent])";
    let lane = browser.value(lane);
    let (empty, owed) = (json!(["", null]), json!(["lane", null]));
    let expected = json!([empty, empty, empty, ["lane", "?"], owed, ["lane", "✗"]]);
    assert_eq!(lane, expected);
    let legend = "[...document.querySelectorAll('.legend li')].map((one) => one.textContent)";
    let expected = ["true", "false", "decides", "? asked here", "✗ failed here", "Arrow keys go from state to state"];
    assert_eq!(browser.value(legend), json!(expected));
    // What decides: the request at 3, and no grant from there on.
    let decides = "[...document.querySelectorAll('.wave td.d')].map((cell) => Number(cell.dataset.state))";
    assert_eq!(browser.value(decides), json!([3, 3, 4, 5]));
}

fn keys_lead_through_the_timeline(browser: &mut Browser) {
    let panel = "document.querySelector('.state').textContent";
    assert!(browser.text(panel).starts_with("position3line5"), "{}", browser.text(panel));
    browser.value("document.querySelector('.wave button[tabindex=\"0\"]').focus()");
    browser.press("ArrowLeft");
    let shown = browser.text(panel);
    assert!(shown.starts_with("position2line4") && shown.contains("truerequest -> F[0,2] grant"), "{shown}");
    browser.press("End");
    assert!(browser.text(panel).starts_with("position5line7"));
    browser.press("ArrowRight");
    assert_eq!(browser.value("document.activeElement.textContent"), "5");
    // Only one state of a timeline is in the order of the tab key.
    let order = "document.querySelectorAll('.wave button[tabindex=\"0\"]').length";
    assert_eq!(browser.value(order), 1);
    let outline =
        "document.activeElement.matches(':focus-visible') && getComputedStyle(document.activeElement).outlineStyle";
    assert_eq!(browser.value(outline), "solid");
    browser.value(
        "document.querySelector('.wave tbody td[data-state=\"1\"]').dispatchEvent(new MouseEvent('mousemove', { bubbles: true }))",
    );
    assert!(browser.text(panel).starts_with("position1line3"));
}

#[test]
fn a_page_fits_screens_and_paper() {
    let folder = Folder::new("page-fits");
    let mut trace = String::from("case,step,load\n");
    (0..400).for_each(|row| writeln!(trace, "case {},step number {row},{row}", row % 4).expect("a string"));
    folder.write("t.csv", trace);
    let formula = "G(step == \"step number 0\" -> F[0,60] load > 1000)";
    write_page(&folder, &["check", "-e", formula, "-e", "max(load)", "--by", "case", "t.csv"]);
    let mut browser = Browser::start(&folder.path(""));
    let overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    let paper = "getComputedStyle(document.body).backgroundColor";
    for (width, scheme) in [(360, "light"), (700, "dark"), (1400, "light")] {
        let metrics = json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false });
        browser.ask("Emulation.setDeviceMetricsOverride", metrics);
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.ask("Emulation.setEmulatedMedia", features);
        browser.open(&folder.path("page.html"));
        assert_eq!(browser.value(overflow), 0, "at {width} pixels");
        let expected = if scheme == "dark" { "rgb(20, 23, 27)" } else { "rgb(251, 251, 250)" };
        assert_eq!(browser.value(paper), expected);
    }
    // Of 61 states that matter, paper has those that fit, and the screen has them all again.
    let states = "document.querySelectorAll('.wave thead button').length";
    let on_screen = browser.value(states);
    assert!(on_screen.as_u64() > Some(40), "{on_screen}");
    browser.value("window.printed = 0; addEventListener('beforeprint', () => { printed = document.querySelectorAll('.wave thead button').length; })");
    let printed = browser.ask("Page.printToPDF", json!({}))["data"].as_str().map_or(0, str::len);
    assert!(printed > 10_000, "{printed} letters of a document");
    assert!(
        browser.value("printed").as_u64().is_some_and(|count| (3..=20).contains(&count)),
        "{}",
        browser.value("printed")
    );
    assert_eq!(browser.value(states), on_screen);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_table_of_a_hundred_thousand_keys_sorts_and_filters() {
    const KEYS: usize = 100_000;
    let folder = Folder::new("page-keys");
    let mut trace = String::from("key,p\n");
    (0..KEYS).for_each(|key| writeln!(trace, "key{key},{}", u8::from(key % 1000 != 7)).expect("a string"));
    folder.write("t.csv", trace);
    assert_eq!(write_page(&folder, &["check", "-e", "G p", "-e", "count(p)", "--by", "key", "t.csv"]), 1);
    let bytes = folder.read("page.html").len();
    assert!(bytes < 64 * KEYS, "{bytes} bytes for {KEYS} keys");
    let mut browser = Browser::start(&folder.path(""));
    browser.open(&folder.path("page.html"));
    let drawn = browser.value("performance.now()").as_f64().expect("a number");
    assert!(drawn < 10_000.0, "drawn after {drawn} ms");

    let rows = "document.querySelectorAll('.keys tbody tr:not(.filler)').length";
    assert!(browser.value(rows).as_u64().is_some_and(|rows| (5..100).contains(&rows)), "{}", browser.value(rows));
    let status = "document.querySelector('[role=status]').textContent";
    assert_eq!(browser.value(status), "100000 keys");
    let first = "document.querySelector('.keys tbody th').textContent";
    let set = |what: &str, value: &str, event: &str| {
        format!(
            "(() => {{ const one = document.querySelector('.tools {what}'); one.value = '{value}'; one.dispatchEvent(new Event('{event}')); }})()"
        )
    };
    browser.value(&set("select", "v", "change"));
    assert_eq!((browser.text(status), browser.text(first)), ("100 of 100000 keys".into(), "key7".into()));
    browser.value(&set("input", "KEY99", "input"));
    assert_eq!((browser.text(status), browser.text(first)), ("1 of 100000 keys".into(), "key99007".into()));
    browser.value(&(set("select", "", "change") + ";" + &set("input", "", "input")));
    let sort = |column: usize| format!("document.querySelectorAll('.keys thead button')[{column}].click()");
    browser.value(&sort(0));
    browser.value(&sort(0));
    assert_eq!(browser.text(first), "key99999");
    assert_eq!(browser.value("document.querySelector('.keys th[aria-sort]').ariaSort"), "descending");
    browser.value(&sort(2));
    assert_eq!(browser.text(first), "key7");
    assert_eq!(browser.value("document.querySelector('.keys tbody .verdict').textContent"), "✗ violated");
    // Far down there are rows, too, once one has scrolled there.
    let scroll = "new Promise((done) => { document.querySelector('.keys').scrollTop = 1e9; setTimeout(done, 200); })";
    browser.value(scroll);
    let last = "[...document.querySelectorAll('.keys tbody tr:not(.filler)')].at(-1).cells[0].textContent";
    assert_eq!(browser.text(last), "key99999");
    // A key with violations leads to them.
    browser.value("document.querySelector('.keys').scrollTop = 0");
    browser.value("new Promise((done) => setTimeout(done, 200))");
    browser.value("document.querySelectorAll('.keys tbody a')[1].click()");
    let open = "new Promise((done) => setTimeout(() => done(document.querySelector(':target').open), 100))";
    assert_eq!(browser.value(open), true);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn texts_from_outside_are_texts() {
    let folder = Folder::new("page-hostile");
    let hostile = "</script><img src=x onerror=alert(1)>'`&amp;\u{202e}\u{2028}\u{7}--><b id=injected>";
    let column = hostile.replace('`', "");
    let trace = format!("{column},key\n\"{hostile}\",\"{hostile}\"\nno,\"{hostile}\"\n");
    let spec = format!("property p = G(`{column}` == \"{hostile}\")\n");
    let name = "<img src=x onerror=alert(2)>\u{202e}.csv";
    folder.write(name, trace).write("p.tw", spec);
    let query = format!("last(`{column}`)");
    let mut browser = Browser::start(&folder.path(""));
    for by in [&[][..], &["--by", "key"]] {
        let arguments = [&["check", "p.tw", "-e", &query, name], by].concat();
        assert_eq!(write_page(&folder, &arguments), 1);
        browser.open(&folder.path("page.html"));
        let injected = "document.querySelectorAll('img, #injected, b, [onerror]').length";
        assert_eq!(browser.value(injected), 0);
        // What may turn the text around or break a line is shown by its number.
        let hidden = "/[\\u202e\\u2028\\u0007]/.test(document.documentElement.outerHTML)";
        assert_eq!(browser.value(hidden), false);
        let shown = r"`</script><img src=x onerror=alert(1)>'&amp;\u{202e}\u{2028}\u{7}--><b id=injected>`";
        let code = browser.text("document.querySelector('article code').textContent");
        assert!(code.contains(shown), "{code}");
        assert!(browser.text("document.querySelector('h2').textContent").contains(r"onerror=alert(2)>\u{202e}.csv"));
        assert!(browser.value("document.querySelectorAll('.wave td.value').length").as_u64() >= Some(1));
        assert_eq!(browser.complaints(), Vec::<String>::new());
        // A script that got in all the same would not run.
        let inject = "(() => { const one = document.createElement('div'); \
                      one.innerHTML = '<img src=\"data:x\" onerror=\"window.ran = true\">'; document.body.append(one); \
                      return new Promise((done) => setTimeout(() => done(window.ran === undefined), 200)); })()";
        assert_eq!(browser.value(inject), true);
        assert!(!browser.complaints().is_empty(), "the policy speaks up");
    }
}

/// The page of a trace with a violation in every hundred states, of which so many are asked for.
fn long_page(folder: &Folder, states: usize, violations: &str) -> String {
    let mut trace = String::from("request,grant\n");
    (0..states).for_each(|row| trace.push_str(if row % 100 == 0 { "1,0\n" } else { "0,0\n" }));
    folder.write("t.csv", trace);
    let formula = "G(request -> F[0,50] grant)";
    write_page(folder, &["check", "-e", formula, "t.csv", "--max-violations", violations]);
    folder.read("page.html")
}

#[test]
fn a_page_does_not_grow_with_the_states() {
    let folder = Folder::new("page-long");
    let short = long_page(&folder, 10_000, "5").len();
    let long = long_page(&folder, 1_000_000, "5").len();
    assert!(long < short + 1000 && long < 100_000, "{short} and {long} bytes");
    let all = long_page(&folder, 30_000, "300");
    assert!(all.len() < 2_000_000, "{} bytes", all.len());
    assert_eq!(all.matches("<details").count(), 200);
    assert_eq!(all.matches("<figure").count(), 100);
    assert!(all.contains("… and 100 more violations"));
}

#[test]
fn a_page_says_what_is_owed_and_what_failed() {
    let folder = Folder::new("page-prefix");
    folder.write("t.csv", REQUESTS).write("bad.csv", "request,grant\n1,maybe\n");
    let formula = "G(request -> F[0,9] grant)";
    let status = write_page(&folder, &["check", "-e", formula, "t.csv", "bad.csv", "--prefix"]);
    assert_eq!(status, 2);
    let mut browser = Browser::start(&folder.path(""));
    browser.open(&folder.path("page.html"));
    let headings = "[...document.querySelectorAll('h1, h2')].map((one) => one.textContent)";
    let headline = "1 of 2 traces could not be answered for; The property is pending";
    assert_eq!(browser.value(headings), json!([headline, "t.csv", "bad.csv"]));
    let owed = browser.text("document.querySelector('.why').textContent");
    assert_eq!(owed, "owes `F grant` since position 3 (line 5), by position 12 at the latest");
    let lane = "[...document.querySelectorAll('.wave .mark')].map((one) => one.textContent)";
    assert_eq!(browser.value(lane), json!(["?", "…"]));
    assert!(browser.text("document.querySelector('section:last-of-type pre').textContent").contains("maybe"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn pages_are_the_same_each_time() {
    let folder = Folder::new("page-same");
    folder.write("t.csv", REQUESTS);
    let page = || {
        let asked = ["-e", "F grant", "-e", "G(request -> F grant)", "-e", "G(grant -> F grant)"];
        write_page(&folder, &[&["check", "--coverage", "--waiting", "t.csv"], &asked[..]].concat());
        folder.read("page.html")
    };
    let first = page();
    assert_eq!(first, page());
    // It waited from the first state on until the third.
    for said in
        ["every run visits 2 of 2 nodes", "`F grant` was asked 1 time", "waited 2 to 2 steps: median 2", "F grant"]
    {
        assert!(first.contains(said), "{said}: {first}");
    }
    assert!(!first.contains(&*folder.path("").to_string_lossy()), "no path but the one that was given");
}

#[test]
fn pages_that_cannot_be_written() {
    let mut seen = session(
        "page-refused",
        &[("t.csv", REQUESTS.as_bytes()), ("p.tw", b"property p = G request\n")],
        &[
            &["check", "-e", "F grant", "t.csv", "--html", "-"],
            &["check", "-e", "F grant", "t.csv", "--html", "."],
            &["check", "-e", "F grant", "t.csv", "--html", "nowhere/page.html"],
            &["check", "-e", "F grant", "t.csv", "--html", "t.csv"],
            &["check", "p.tw", "t.csv", "--html", "p.tw"],
            &["check", "-e", "F grant", "t.csv", "--html", "same", "--keys-to", "same"],
            &["check", "-e", "F grant", "t.csv", "--html", "page.html"],
            &["query", "-e", "max(load)", "t.csv", "--html", "page.html", "--format", "json"],
        ],
    );
    if Path::new("/dev/full").exists() {
        seen += "\n";
        seen += &session(
            "page-full",
            &[("t.csv", REQUESTS.as_bytes())],
            &[&["check", "-e", "F grant", "t.csv", "--html", "/dev/full"]],
        );
    }
    insta::assert_snapshot!(seen);
}
