"""`check`, `query` and `inspect`: what they take, and what they answer."""

import io
import json
import mmap
import pickle
import random
import warnings

import pyarrow
import pytest

import traceward
from traceward import Spec, SpecError, TraceError, TraceWarning, UsageError, Verdict, check, inspect, query

CSV = b"request,grant\ntrue,false\nfalse,false\nfalse,true\ntrue,false\n"


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(CSV)
    return path


def test_a_report_is_what_the_program_prints(trace, document, program):
    formulas = ["G(request -> F grant)", "F grant"]
    status, printed = document("check", "-e", formulas[0], "-e", formulas[1], trace)
    report = check(formulas, trace)
    assert report.to_dict() == printed
    assert status == 1 and not report.ok and not report
    text = program("check", "-e", formulas[0], "-e", formulas[1], trace).stdout
    assert str(report) == text.rstrip("\n")


def test_a_report_has_typed_parts(trace):
    report = check(["G(request -> F grant)", "F grant"], str(trace))
    first, second = report.properties
    assert (first.name, first.verdict, first.formula) == ("p1", Verdict.VIOLATED, "G(request -> F grant)")
    assert list(first.violations) == [3] and first.violations.count == 1
    assert second.ok and second.verdict == "satisfied"
    assert report["p2"] == second
    assert report.violated == (first,)
    with pytest.raises(KeyError, match="there are p1, p2"):
        report["p3"]
    with pytest.raises(AttributeError, match="cannot be changed"):
        first.name = "other"
    assert pickle.loads(pickle.dumps(report)) == report
    assert pickle.loads(pickle.dumps(report)).ok is False


def test_an_assert_on_a_report_fails_where_it_should():
    with pytest.raises(AssertionError):
        assert check("G request", CSV)
    assert check("F grant", CSV)


@pytest.mark.parametrize(
    "data",
    [
        CSV,
        bytearray(CSV),
        memoryview(CSV),
        {"request": [True, False, False, True], "grant": [False, False, True, False]},
    ],
    ids=["bytes", "bytearray", "memoryview", "dict"],
)
def test_data_in_memory(data):
    report = check("G(request -> F grant)", data)
    assert list(report["p1"].violations) == [3]


def test_mapped_files(trace):
    with open(trace, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert list(check("G(request -> F grant)", mapped)["p1"].violations) == [3]


def test_options_are_those_of_the_command_line(tmp_path, document):
    path = tmp_path / "log.csv"
    path.write_text("Case ID,t,code,x\na,1,7,1\nb,2,8,5\na,3,7,2\nb,9,08,1\n")
    formulas = ["G x < 4", 'G(code == "08" -> x < 2)', "F[0,3s] x > 1"]
    words = ["--by", "Case ID", "--type", "code:string", "--time", "t:s", "--max-violations", "1", "--waiting"]
    expressions = [word for formula in formulas for word in ("-e", formula)]
    _, printed = document("check", *expressions, *words, path)
    options = dict(by="Case ID", type={"code": "string"}, time="t:s", max_violations=1, waiting=True)
    assert check(formulas, path, **options).to_dict() == printed
    assert check(Spec(formulas), path, **options).to_dict() == printed
    keys = check(formulas, path, **options)["p1"].keys
    assert (keys.checked, keys.violated, keys.first_violations[0].key) == (2, 1, "b")


def test_options_that_are_off_make_no_difference():
    plain = check("F grant", CSV)
    assert check("F grant", CSV, prefix=False, by=None, null=[]) == plain
    assert check("G grant", b"grant\n1\n", prefix=True)["p1"].verdict is Verdict.HOLDING


def test_unknown_options_are_refused_with_a_hint():
    with pytest.raises(TypeError, match="there is no option `tiem`: did you mean `time`"):
        check("F grant", CSV, tiem="t")
    for name in ["format", "html", "quiet", "keys_to", "expression"]:
        with pytest.raises(TypeError, match="there is no option"):
            check("F grant", CSV, **{name: "x"})
    with pytest.raises(UsageError, match="there is no unit"):
        check("F grant", CSV, time="t:sec")
    with pytest.raises(UsageError, match="engine"):
        check("F grant", CSV, engine="steam")
    with pytest.raises(TypeError, match="by: a text"):
        check("F grant", CSV, by=object())


def test_queries(document, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("x\n3\n5\n4\n")
    report = query(["max(x)", "avg(x)"], path)
    assert report.values == {"q1": 5, "q2": 4.0}
    assert report.to_dict() == document("query", "-e", "max(x)", "-e", "avg(x)", path)[1]
    assert query(Spec("max(x)"), path).queries[0].value == 5


def test_inspection(trace, document):
    found = inspect(trace)
    assert found.to_dict() == document("inspect", trace)[1]
    assert [column.name for column in found.columns] == ["request", "grant"]
    assert found["grant"].type == "bool" and found.states == 4
    assert "4 states" in str(found)


def test_a_spec_is_read_once_and_says_what_is_wrong():
    with pytest.raises(SpecError) as caught:
        Spec("G(request ->\n   F)")
    mistake = caught.value.diagnostics[0]
    assert (mistake.source, mistake.line, mistake.column) == ("<spec>", 2, 4)
    assert "<spec>:2:4" in str(caught.value) and "^" in str(caught.value)
    assert caught.value.message == mistake.message
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, traceward.Error)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.diagnostics[0].to_dict() == mistake.to_dict()


def test_specs_come_from_texts_lists_and_files(tmp_path):
    path = tmp_path / "p.tw"
    path.write_text('property a = G x\nproperty b = F y\nquery n = count(x)\n')
    for spec in [Spec.from_file(path), Spec(path), Spec(path.read_text())]:
        assert spec.properties == ["a", "b"] and spec.queries == ["n"] and set(spec.variables) == {"x", "y"}
    assert check(path, b"x,y\n1,1\n").ok
    assert Spec(["G x", "F y"]).properties == ["p1", "p2"]
    assert eval(repr(Spec(["G x", "F y"]))) == Spec(["G x", "F y"])
    with pytest.raises(FileNotFoundError):
        Spec.from_file(tmp_path / "none.tw")
    copy = pickle.loads(pickle.dumps(Spec("a -> b", dialect="opra", event="e")))
    assert copy == Spec("a -> b", dialect="opra", event="e")


def test_a_spec_may_name_its_event_column():
    trace = b"what\nopen\nshut\n"
    spec = Spec('G("open" -> F "shut")', event="what")
    assert check(spec, trace).ok
    assert check('G("open" -> F "shut")', trace, event="what").ok


@pytest.mark.parametrize("spec", [7, None, {"a": 1}, 1.5, object(), ["G a", 7]], ids=repr)
def test_what_is_no_spec(spec):
    with pytest.raises(TypeError, match="a spec is"):
        check(spec, CSV)


def test_an_empty_list_asks_nothing():
    with pytest.raises(UsageError, match="nothing to ask"):
        check([], CSV)


@pytest.mark.parametrize("data", [7, None, object(), [1, 2], (x for x in "ab")], ids=lambda one: type(one).__name__)
def test_what_is_no_trace(data):
    with pytest.raises(TypeError, match="a trace is"):
        check("F grant", data)


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        check("F grant", tmp_path / "none.csv")
    assert caught.value.filename == str(tmp_path / "none.csv")
    with pytest.raises((IsADirectoryError, TraceError)):
        check("F grant", tmp_path)


def test_mistakes_in_a_trace_name_their_place(tmp_path, program):
    path = tmp_path / "bad.csv"
    path.write_text("x,y\n1,2\nhallo,3\n")
    with pytest.raises(TraceError) as caught:
        check("G x > 0", path)
    mistake = caught.value.diagnostics[0]
    assert (mistake.row, mistake.variable) == (3, "x")
    assert "bad.csv:3" in str(caught.value)
    said = program("check", "-e", "G x > 0", path)
    assert said.returncode == 2 and mistake.message in said.stderr


def test_names_that_are_not_there_are_told_with_a_hint():
    with pytest.raises(SpecError, match="did you mean `grant`"):
        check("F grnat", CSV)


def test_settings_that_would_help_are_keyword_arguments():
    with pytest.raises(traceward.Error) as caught:
        check("G(request -> F[0,1s] grant)", CSV)
    assert 'time="COLUMN"' in str(caught.value) and "--time" not in str(caught.value)


def test_an_empty_trace_is_an_error_unless_it_is_allowed():
    with pytest.raises(TraceError, match="empty"):
        check("G x", b"x\n")
    assert check("G x", b"x\n", allow_empty=True).ok
    assert inspect(b"x\n").states == 0
    with pytest.raises(TraceError):
        check("G x", {"x": []})


def test_probable_mistakes_are_warnings():
    with pytest.warns(TraceWarning, match="never"):
        report = check('G(state == "opne" -> F state == "shut")', b"state\nopen\nshut\n")
    assert report.warnings and report["p1"].vacuous


def test_limits_are_errors_of_their_own():
    with pytest.raises(traceward.LimitError, match="work_limit raises the limit"):
        check("G(a -> F[0,50] b) & G(b -> F[0,50] a)", {"a": [True] * 500, "b": [False] * 500}, engine="depth-first", work_limit=10)


def test_tables_of_answers():
    report = check(["G x < 4", "F x > 4"], {"x": [1, 5, 2], "k": ["a", "b", "a"]}, by="k")
    rows = pyarrow.table(report.to_arrow()).to_pylist()
    assert [(row["name"], row["verdict"], row["keys_violated"]) for row in rows] == [
        ("p1", "violated", 1),
        ("p2", "violated", 1),
    ]
    keys = pyarrow.table(report.keys_to_arrow()).to_pylist()
    assert keys == [
        {"key": "a", "states": 2, "p1": "satisfied", "p2": "violated"},
        {"key": "b", "states": 1, "p1": "violated", "p2": "satisfied"},
    ]
    with pytest.raises(ValueError, match="not split"):
        check("G x < 4", {"x": [1]}).keys_to_arrow()


def test_hygiene(document):
    found = traceward.lint(["G p", "F p"])
    assert not found.ok and found.findings
    assert found.to_dict() == document("lint", "-e", "G p", "-e", "F p")[1]
    assert traceward.lint("G p").ok
    compared = traceward.compare("G(p -> F q)", "G F q")
    assert not compared and compared.to_dict() == document("compare", "-e", "G(p -> F q)", "-e", "G F q")[1]
    plan = traceward.explain_plan("G(p -> F q)")
    assert plan.to_dict() == document("explain-plan", "-e", "G(p -> F q)")[1]
    assert "engine" in str(plan)
    with pytest.raises(UsageError, match="there is only one"):
        traceward.compare("G p", [])


def test_automata(program):
    made = traceward.automaton("G(a -> F b)", kind="deterministic")
    printed = program("automaton", "-e", "G(a -> F b)", "--kind", "deterministic", "--to", "json").stdout
    assert made.to_dict() == json.loads(printed)
    assert made.svg.startswith("<svg") or made.svg.startswith("<?xml")
    assert "digraph" in made.to("dot")
    with pytest.raises(UsageError, match="there is no form `png`"):
        made.to("png")
    with pytest.raises(UsageError, match="has no form hoa"):
        traceward.automaton("G a", kind="alternating").to("hoa")
    assert traceward.automaton("G a").to("hoa").startswith("HOA: v1")


def test_the_program_comes_with_the_package(program, tmp_path):
    assert program("--version").stdout.startswith("traceward ")
    assert program("check").returncode == 2
    path = tmp_path / "t.csv"
    path.write_bytes(CSV)
    assert program("check", "-e", "F grant", path).returncode == 0
    assert program("check", "-e", "G grant", path).returncode == 1


def answered(spec, data, **options):
    """The document with what is said beside it, or the error with its text."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            return check(spec, data, **options).to_dict(), [str(one.message) for one in said]
        except traceward.Error as error:
            return type(error), str(error)


def test_a_spec_that_was_asked_before_answers_as_a_new_one():
    """A `Spec` keeps what it has made ready: whatever comes next, nothing of it shows."""
    texts = ["G(x > past(x) -> F y)", "G x == y", "assert few = count(x == 1) <= 1\nquery most = max(x)", "G(8 / x > 1)"]
    columns = [
        {"x": [1, 2, 1], "y": [0, 1, 1]},
        {"x": [1.5, 2.0, 1.0], "y": [0, 1, 1]},
        {"y": [0, 1, 1], "x": [1, 2, 0]},
        {"x": ["a", "b", "b"], "y": ["a", "a", "b"]},
        {"x": [True, False, True], "y": [False, True, True]},
        {"x": [1, None, 1], "y": [0, 1, 1]},
        {"x": [1, 2, 1], "yy": [0, 1, 1]},
        {"x": [], "y": []},
    ]
    data = columns + [pyarrow.table(one) for one in columns] + [b"x,y\n1,0\n2,1\n", b"x,y\n1.5,0\n2,1\n", b"y,x\na,b\n"]
    chance = random.Random(1)
    for text in texts:
        spec = Spec(text)
        for _ in range(60):
            trace, options = chance.choice(data), chance.choice([{}, {"prefix": True}, {"missing": "hold"}])
            assert answered(spec, trace, **options) == answered(Spec(text), trace, **options), (text, trace, options)
