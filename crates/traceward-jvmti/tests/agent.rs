//! Programs in Java that run with the agent. Where there is no JDK these tests fail, with a reason.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

/// The longest that a program may run: after that somebody waits for somebody forever.
const LONGEST: Duration = Duration::from_secs(120);

fn agent() -> PathBuf {
    let test = std::env::current_exe().expect("this test is a program");
    let deps = test.parent().expect("it stands in a directory");
    let beside = deps.parent().expect("of the target");
    let found = [beside, deps].map(|dir| dir.join("libtraceward_jvmti.so"));
    // Of two the one that was built along with this test.
    let built = |path: &PathBuf| fs::metadata(path).and_then(|file| file.modified()).ok();
    let newest = found.into_iter().filter(|path| path.exists()).max_by_key(built);
    newest.expect("libtraceward_jvmti.so is built along with the tests")
}

/// The programs, compiled once.
fn classes() -> &'static Path {
    static CLASSES: OnceLock<PathBuf> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java");
        let classes = Path::new(env!("CARGO_TARGET_TMPDIR")).join("classes");
        let _ = fs::remove_dir_all(&classes);
        fs::create_dir_all(&classes).expect("a folder for classes");
        let in_folder = |folder: &Path| {
            let files = fs::read_dir(folder).expect("the programs").map(|entry| entry.expect("a file").path());
            files.filter(|path| path.extension().is_some_and(|ending| ending == "java")).collect::<Vec<_>>()
        };
        let files = [in_folder(&sources), in_folder(&sources.join("bank"))].concat();
        let compiled = Command::new("javac").arg("-g").arg("-d").arg(&classes).args(files).output();
        let compiled = compiled.expect("javac cannot be started: there is no JDK; `./test` installs one");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        // One class is hidden from the loader of the program.
        fs::rename(classes.join("Plugin.class"), classes.join("Plugin.bin")).expect("a class to hide");
        classes
    })
}

struct Ran {
    status: i32,
    out: String,
    told: String,
}

impl Ran {
    /// How it ended and what was told, as one text.
    fn transcript(&self) -> String {
        format!("{}status: {}", self.told, self.status)
    }

    #[track_caller]
    fn says(&self, text: &str) -> &Self {
        assert!(self.told.contains(text), "{text:?} is not in\n{}", self.transcript());
        self
    }

    #[track_caller]
    fn exits(&self, status: i32) -> &Self {
        assert_eq!(self.status, status, "{}", self.transcript());
        self
    }
}

/// A program with the agent, which exits by its verdicts.
fn judge(name: &str, spec: &str, main: &str) -> Ran {
    run(name, spec, ",exit=verdict", main)
}

/// A program with the agent and options behind the spec; words behind the class are arguments.
fn run(name: &str, spec: &str, options: &str, main: &str) -> Ran {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("specs");
    fs::create_dir_all(&folder).expect("a folder for specs");
    fs::write(folder.join(format!("{name}.tw")), spec).expect("a spec");
    run_with(&folder, &format!("{name}.tw{options}"), main)
}

fn run_with(folder: &Path, options: &str, main: &str) -> Ran {
    let mut command = Command::new("java");
    command.arg(format!("-agentpath:{}={options}", agent().display())).arg("-Xmx128m").arg("-cp").arg(classes());
    command.args(main.split(' ')).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("java cannot be started: there is no JDK; `./test` installs one");
    let reader = |mut pipe: Box<dyn Read + Send>| {
        thread::spawn(move || {
            let mut text = String::new();
            pipe.read_to_string(&mut text).map(|_| text)
        })
    };
    let out = reader(Box::new(child.stdout.take().expect("piped")));
    let told = reader(Box::new(child.stderr.take().expect("piped")));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        if start.elapsed() > LONGEST {
            child.kill().expect("a child that can be killed");
            panic!("{main} did not end: {}", told.join().expect("a reader").unwrap_or_default());
        }
        thread::sleep(Duration::from_millis(5));
    };
    let text = |reader: thread::JoinHandle<std::io::Result<String>>| reader.join().expect("a reader").expect("UTF-8");
    Ran { status: status.code().unwrap_or(-1), out: text(out), told: text(told) }
}

// ---- one trace: static fields ----

#[test]
fn mutual_exclusion_broken_on_purpose_is_caught_at_its_line() {
    let ran = judge("mutex", "let both = Mutex.first & Mutex.second\nproperty mutex = G !both", "Mutex");
    insta::assert_snapshot!("mutex", ran.transcript());
    assert_eq!(ran.out, "after\n");
    let source = include_str!("java/Mutex.java");
    let line = source.lines().position(|line| line.contains("second = true;")).expect("the write") + 1;
    ran.says(&format!("at Mutex.enter(Mutex.java:{line})"));
}

#[test]
fn the_program_keeps_its_status_unless_the_verdict_is_asked_for() {
    run("keep", "G !(Mutex.first & Mutex.second)", "", "Mutex").exits(0).says("p1 is violated at state");
    judge("fine", "G !(Mutex.first & Mutex.second)", "Mutex once").exits(0).says("p1: satisfied: ");
}

#[test]
fn a_violation_stops_the_program_at_the_write() {
    let ran = run("stop", "G !(Mutex.first & Mutex.second)", ",stop=violation", "Mutex");
    ran.exits(1).says("stopped at the first violation").says("at Mutex.enter");
    assert_eq!(ran.out, "", "the program went on");
}

#[test]
fn what_was_never_asked_is_vacuous() {
    let spec = "property asked = G(Mutex.rounds > 100 -> F Mutex.first)";
    judge("vacuous", spec, "Mutex").exits(0).says("asked: satisfied, vacuously: `Mutex.rounds > 100` never holds");
}

#[test]
fn what_is_never_written_is_said() {
    let ran = judge("unwritten", "G(Initial.low < Initial.high -> Initial.high > 0)", "Initial");
    ran.exits(0).says("note: nothing that is watched was written or called: only the initial values are judged");
    ran.says("after 1 state\n");
}

#[test]
fn every_write_of_every_thread_is_a_state() {
    let spec = "property alone = G(Threads.inside in {0, 1})\nproperty all = F Threads.total == 2000\n\
                query states = count(true)";
    let ran = judge("threads", spec, "Threads");
    // Three writes a round of each of four threads, and the initial state.
    ran.exits(0).says("after 6001 states").says("alone: satisfied").says("all: satisfied").says("states = 6001");
}

#[test]
fn threads_without_a_lock_do_not_wait_for_each_other_forever() {
    let spec = "property p = G(Racing.own < 1000)\n\
                property q = G(\"call Racing.set\" -> F (\"return Racing.set\" | \"throw Racing.set\"))\n\
                property r = G(Racing.shared >= 0)";
    let ran = judge("racing", spec, "Racing");
    ran.exits(0);
    assert_eq!(ran.out, "over\n");
    for property in ["p", "q", "r"] {
        ran.says(&format!("{property}: satisfied for "));
    }
}

#[test]
fn the_machine_finds_nothing_wrong_with_the_calls() {
    let events = "G(\"call Racing.set\" -> F (\"return Racing.set\" | \"throw Racing.set\"))";
    for (name, spec, main) in [
        ("checked", format!("{events} & G Racing.own < Racing.shared + 100000"), "Racing"),
        ("checked2", "G(Types.text == Types.mode | Types.c == Types.any) | true".to_owned(), "Types"),
        ("checked3", "G bank.Savings.balance != bank.Rates.LIMIT & G bank.Savings.rate < 9".to_owned(), "bank.Savings"),
        ("checked4", "G(Loader.step > 0 -> Plugin.loaded > 0) | true".to_owned(), "Loader"),
    ] {
        let ran = run(name, &spec, "", &format!("-Xcheck:jni {main}"));
        ran.exits(0).says("the program has ended");
        assert!(!ran.out.contains("WARNING") && !ran.out.contains("FATAL"), "{main}: {}", ran.out);
    }
}

#[test]
fn values_of_every_type_are_seen() {
    let spec = r#"
        property z = F Types.z
        property b = F Types.b == -128
        property s = F Types.s == -32768
        property c = F Types.c == "é"
        property i = F Types.i == -2147483648
        property l = F Types.l == 9007199254740993
        property not_rounded = G Types.l != 9007199254740992
        property f = F Types.f == 0.5
        property nan = F(!defined(Types.d) & X Types.d == 0.1)
        property text = F(Types.text == "Grüße 😀" & F !defined(Types.text))
        property mode = F(Types.mode == "BUSY" & F !defined(Types.mode))
        property any = F(Types.any == "a string" & X Types.any == "IDLE")
        property zero = Types.c == "\u0000" & !defined(Types.text) & Types.d == 0.0
    "#;
    let spec = spec.replace(r#"Types.c == "\u0000" & "#, "len(Types.c) == 1 & ");
    let ran = judge("types", &spec, "Types");
    ran.exits(0);
    assert_eq!(ran.told.matches(": satisfied: ").count(), 13, "{}", ran.told);
}

#[test]
fn other_references_are_refused_where_they_are_written() {
    let ran = judge("refused", "F Types.any == \"a string\"", "Types more");
    ran.exits(2).says("error: `Types.any` refers to an object of java.util.ArrayList");
    ran.says("at Types.main(Types.java:");
}

#[test]
fn a_value_that_does_not_fit_the_spec_is_refused_with_its_place() {
    let ran = judge("misfit", "F Types.text > 5", "Types");
    ran.exits(2).says("a state of the program was refused").says("at Types.main(Types.java:");
}

#[test]
fn initialisers_make_the_first_state() {
    let spec = "property order = G Initial.low < Initial.high\nproperty set = G Initial.high >= 10";
    judge("initial", spec, "Initial more").exits(0).says("order: satisfied").says("after 1 state\n");
    let spec = format!("{spec}\nproperty written = F Initial.touched == 1");
    judge("initial2", &spec, "Initial").exits(0).says("after 2 states");
    let each = run("initial3", &spec, ",exit=verdict,construction=states", "Initial");
    each.exits(1).says("order is violated at state 0").says("written: satisfied");
}

#[test]
fn a_class_that_is_initialised_late_has_no_values_before() {
    let spec = "property late = G(defined(Initial.Late.value) -> Initial.Late.value in {3, 4})\n\
                property touched = F(Initial.touched == 1 & !defined(Initial.Late.value))\n\
                property used = F Initial.Late.value == 4";
    judge("late", spec, "Initial more").exits(0).says("after 3 states");
    let unused = judge("unused", "G(Initial.touched in {0, 1} | Initial.Late.value > 0)", "Initial");
    unused.exits(2).says("`Initial.Late.value` never had a value: its class was never initialised");
}

#[test]
fn a_class_of_another_loader_is_found_when_it_comes() {
    let spec = "property before = F(Loader.step == 1 & !defined(Plugin.loaded))\n\
                property after = F(Loader.step == 3 & Plugin.loaded == 8)\n\
                property initial = G(Plugin.loaded == 8 -> Loader.step >= 2)";
    judge("loader", spec, "Loader").exits(0).says("after 5 states");
}

#[test]
fn constants_of_interfaces_and_what_is_inherited_have_values() {
    let spec = "property own = G(bank.Rates.LIMIT == 40 & bank.Rates.NONE == 0 & bank.Rates.NAME == \"rates\")\n\
                property inherited = G(bank.Savings.LIMIT == 40 & bank.Savings.limit in {2, 100})\n\
                property nested = F(bank.Savings.Nested.depth == 2)\n\
                property dollar = F(`bank.Savings$Nested.depth` == 2)";
    judge("constants", spec, "bank.Savings").exits(0).says("nested: satisfied").says("dollar: satisfied");
}

#[test]
fn time_is_that_of_the_program() {
    let spec = "property soon = G time < 60000000000\nproperty onwards = G !(past(time) > time)\n\
                property late = F(time > 0 & Mutex.rounds == 3)";
    let ran = judge("time", spec, "Mutex");
    ran.exits(0).says("soon: satisfied").says("onwards: satisfied").says("late: satisfied");
}

#[test]
fn what_no_monitor_can_follow_is_refused_with_a_way_out() {
    let whole = "assert few = max(count(Mutex.first)) < 3";
    judge("whole", whole, "Mutex").exits(2).says("would have to be kept").says("to=file:PATH writes the states");
    run("whole2", whole, ",to=file:whole.events", "Mutex").exits(0).says("states sent");
}

#[test]
fn bounds_in_time_are_followed() {
    let spec = "property left = G(Mutex.first -> F[0,60s] !Mutex.first)\n\
                property soon = F[0,60s] Mutex.rounds == 3";
    judge("bounded", spec, "Mutex").exits(1).says("left: violated").says("soon: satisfied");
}

#[test]
fn writes_that_cannot_be_watched_are_noted() {
    let ran = judge("handles", "G Handles.seen >= 0 & G Handles.unseen >= 0", "Handles");
    ran.exits(0).says("note: `Handles.unseen` was written in a way that cannot be watched").says("after 2 states");
    assert_eq!(ran.told.matches("cannot be watched").count(), 1, "{}", ran.told);
}

// ---- methods ----

#[test]
fn calls_returns_and_exceptions_are_events() {
    let spec = r#"
        property twice = count("call Failing.work") == 2
        property one = count("return Failing.work") == 1
        property thrown = count("throw Failing.work") == 1
        property recursive = count("call Failing.recurse") == 3 
        property all = count("return Failing.recurse") == 3
        property inside = G(Failing.depth == 7 -> O "call Failing.work")
        property order = G("call Failing.work" -> X(!"call Failing.work" U ("return Failing.work" | "throw Failing.work")))
    "#;
    let ran = judge("events", spec, "Failing");
    ran.exits(0);
    assert_eq!(ran.told.matches(": satisfied: ").count(), 7, "{}", ran.told);
}

#[test]
fn a_method_alone_can_be_watched() {
    let ran = judge("calls", "G !\"return Failing.recurse\"", "Failing");
    ran.exits(1).says("at \"return Failing.recurse\"\n    at Failing.recurse(Failing.java:");
}

#[test]
fn an_event_of_an_object_is_a_state_of_that_object() {
    let spec = "property p = G(\"call bank.Account.close\" -> bank.Account.balance == 1)";
    judge("closing", spec, "bank.Account").exits(0).says("vacuously for 4");
    let spec = "property p = F \"call bank.Account.close\"";
    let ran = judge("closing2", &format!("{spec} | bank.Account.balance == 50"), "bank.Account");
    ran.exits(1).says("violated for 4 of 5 objects").says("violated at the end of bank.Account#1");
}

// ---- objects ----

#[test]
fn every_object_is_a_trace_of_its_own() {
    let ran = judge("objects", "property covered = G bank.Account.balance >= 0", "bank.Account");
    insta::assert_snapshot!("objects", ran.transcript());
}

#[test]
fn constructors_make_the_first_state_of_an_object() {
    // In the constructor the balance is -1 for a while, which is nobody's business.
    let spec =
        "property p = G bank.Account.balance >= -2\nproperty q = bank.Account.balance >= 0 & bank.Account.isOpen";
    judge("constructor", spec, "bank.Account").exits(0).says("q: satisfied for 5 objects");
    let each = run("constructor2", "G bank.Account.balance != -1", ",exit=verdict,construction=states", "bank.Account");
    each.exits(1).says("by the write to bank.Account.balance\n    at bank.Account.<init>(Account.java:");
    let ran = judge("constructor3", "G bank.Account.balance >= 3", "bank.Account");
    ran.says("as the constructor has left it\n    at bank.Account.<init>(Account.java:");
}

#[test]
fn a_write_to_a_static_is_a_state_of_every_object() {
    let ran = judge("statics", "property p = G bank.Account.balance <= bank.Account.limit - 1", "bank.Account");
    // Account 5 has 2 when the limit becomes 2; Account 4 has 1.
    ran.exits(1).says("violated for 1 of 5 objects (bank.Account#5)").says("by the write to bank.Account.limit");
}

#[test]
fn fields_of_a_superclass_are_watched_in_objects_of_the_class_that_is_named() {
    let ran = judge("inherited", "property p = G(bank.Savings.balance > 0 & bank.Savings.rate == 1.5)", "bank.Savings");
    // The plain account, which is overdrawn, is no savings account.
    ran.exits(0).says("p: satisfied for 1 object:");
    // Two names of one field have one value.
    let ran = judge("both", "property p = G(bank.Savings.balance == bank.Account.balance)", "bank.Savings");
    ran.exits(0).says("p: satisfied for 1 object:");
    let ran = judge("declared", "property p = G bank.Account.balance > 0", "bank.Savings");
    ran.exits(1).says("p: violated for 1 of 2 objects (bank.Account#1)");
}

#[test]
fn an_object_whose_constructor_failed_is_not_judged() {
    let ran = judge("failed", "property p = G Failing.size >= 0", "Failing");
    ran.exits(0).says("p: satisfied for 1 object:").says("note: 1 object not judged: their constructors have thrown");
}

#[test]
fn objects_that_are_collected_end_their_traces() {
    let ran =
        run("garbage", "G(Garbage.used == 1 -> F Garbage.isClosed)", ",exit=verdict,objects=40000", "Garbage 100000");
    ran.exits(0).says("p1: satisfied for 100000 objects").says("100000 objects of Garbage followed");
}

#[test]
fn what_goes_beyond_the_limit_of_objects_is_said() {
    let ran = run("limit", "G bank.Account.balance >= -2", ",exit=verdict,objects=2", "bank.Account");
    ran.exits(2).says("2 objects are followed, and more at a time are too many").says("3 objects left out");
}

#[test]
fn many_violations_are_counted_and_the_first_are_told() {
    let ran = run("many", "property p = G Garbage.used == 0", ",exit=verdict,violations=2", "Garbage 30");
    ran.exits(1).says("p: violated for 30 of 30 objects").says("28 more violations of p not told one by one");
    assert_eq!(ran.told.matches("p is violated for ").count(), 2, "{}", ran.told);
}

// ---- names that are wrong ----

#[test]
fn names_that_cannot_be_watched_are_errors() {
    let of = |name: &str, spec: &str, main: &str| {
        let ran = judge(name, spec, main);
        ran.exits(2);
        assert!(!ran.told.contains("satisfied"), "{}", ran.told);
        ran.told
    };
    let told = [
        of("field", "G Mutex.frist", "Mutex"),
        of("class", "G Mutxe.first", "Mutex"),
        of("local", "G Mutex.main.round < 3", "Mutex"),
        of("bare-name", "G round < 3", "Mutex"),
        of("element", "G `Types.array[0]` > 0", "Types"),
        of("array", "G Types.array > 0", "Types"),
        of("method", "G !\"call Failing.wrok\"", "Failing"),
        of("two-classes", "G bank.Account.balance > Failing.size", "Failing"),
        of("no-object", "G bank.Account.balance > 0", "Mutex"),
        of("grammar", "G (", "Mutex"),
    ];
    insta::assert_snapshot!("wrong_names", told.join("---\n"));
}

#[test]
fn options_that_are_wrong_end_the_machine_before_the_program() {
    let ran = run("option", "G Mutex.first", ",stop=later", "Mutex");
    ran.exits(2).says("error: there is no option `stop=later`");
    assert_eq!(ran.out, "");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    run_with(folder, "missing.tw", "Mutex").exits(2).says("missing.tw: No such file");
    let help = run_with(folder, "help", "Mutex");
    help.exits(0);
    assert!(help.out.contains("-agentpath:"), "{}", help.out);
}

// ---- where it is told ----

#[test]
fn a_report_can_be_a_file() {
    let ran = run("report", "G !(Mutex.first & Mutex.second)", ",report=report.txt", "Mutex");
    assert_eq!(ran.told, "");
    let report = Path::new(env!("CARGO_TARGET_TMPDIR")).join("specs/report.txt");
    let report = fs::read_to_string(report).expect("the report");
    assert!(
        report.contains("p1 is violated at state")
            && report.ends_with("p1: violated: G !(Mutex.first & Mutex.second)\n")
    );
}

/// The lines without their times.
fn untimed(lines: &str) -> String {
    let line = |line: &str| match line.split_once("\"@time\":") {
        Some((before, rest)) => {
            let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
            format!("{before}\"@time\":0{rest}\n")
        }
        None => format!("{line}\n"),
    };
    lines.lines().map(line).collect()
}

#[test]
fn states_can_be_written_to_a_file() {
    let spec = "G(!(Mutex.first & Mutex.second) | \"call Mutex.leave\")";
    let ran = run("file", spec, ",to=file:mutex.events", "Mutex");
    ran.exits(0).says("states sent");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("specs");
    insta::assert_snapshot!("events", untimed(&fs::read_to_string(folder.join("mutex.events")).expect("events")));
    run("file2", "G bank.Account.balance < bank.Account.limit", ",to=file:bank.events", "bank.Account");
    insta::assert_snapshot!(
        "events_of_objects",
        untimed(&fs::read_to_string(folder.join("bank.events")).expect("events"))
    );
}

#[test]
fn states_can_be_sent_to_an_observer() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("observer");
    let _ = fs::remove_file(&path);
    let listener = UnixListener::bind(&path).expect("a socket");
    let observer = thread::spawn(move || {
        let mut lines = String::new();
        listener.accept().expect("a client").0.read_to_string(&mut lines).map(|_| lines)
    });
    let ran = run("unix", "G Mutex.first", &format!(",to=unix:{}", path.display()), "Mutex");
    ran.exits(0);
    let lines = observer.join().expect("an observer").expect("lines");
    assert!(lines.starts_with("traceward 1 {") && lines.ends_with("end\n"), "{lines}");
    assert_eq!(lines.matches("\nnext ").count(), 6, "{lines}");
}

#[test]
fn an_observer_can_stop_the_program() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let address = listener.local_addr().expect("an address");
    let observer = thread::spawn(move || {
        let (socket, _) = listener.accept().expect("a client");
        let mut lines = BufReader::new(socket.try_clone().expect("a socket")).lines();
        let mut next = move || lines.next().expect("a line").expect("a line");
        let answer = |text: &str| (&socket).write_all(text.as_bytes()).expect("a client that listens");
        assert!(next().contains("\"answer\":\"each\""));
        answer("needs [\"Mutex.first\"]\n");
        next();
        answer("ok\n");
        let last = next();
        answer("stop mine\n");
        last
    });
    let ran = run("tcp", "G !Mutex.first", &format!(",stop=violation,to=tcp:{address}"), "Mutex");
    ran.exits(1).says("mine is violated, says the observer\n    at Mutex.enter(Mutex.java:");
    assert_eq!(ran.out, "");
    assert!(observer.join().expect("an observer").contains("\"Mutex.first\":true"));
}

#[test]
fn the_program_goes_on_when_the_observer_is_gone() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let address = listener.local_addr().expect("an address");
    let observer = thread::spawn(move || drop(listener.accept().expect("a client")));
    let ran = run("gone", "G Threads.total >= 0", &format!(",to=tcp:{address}"), "Threads");
    observer.join().expect("an observer");
    ran.exits(0).says("the observer is gone");
    assert_eq!(ran.out, "2000\n");
    let nobody = run("nobody", "G Threads.total >= 0", &format!(",to=tcp:{address}"), "Threads");
    nobody.exits(2).says("is `traceward monitor` listening?");
}
