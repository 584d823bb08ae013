"""The pytest plugin: the fixture `trace`, the mark `traceward`, and `assert_trace`."""

import asyncio
import logging
import threading
import time

import duckdb
import polars
import pytest

from traceward import SpecError, TraceError, TraceWarning
from traceward.testing import Recorder, assert_trace

pytest_plugins = "pytester"


@pytest.fixture
def run(pytester):
    """Runs tests with the plugin, in a process of their own."""

    def run(text, *arguments):
        pytester.makepyfile(text)
        return pytester.runpytest_subprocess("-p", "pytest_traceward", "-p", "no:cacheprovider", *arguments)

    return run


def test_a_marked_test_passes_if_its_property_holds(run):
    done = run(
        """
        import pytest

        @pytest.mark.traceward("G(request -> F[0,10s] grant)")
        @pytest.mark.traceward('G("grant" -> client == 1)')
        def test_grants(trace):
            trace.event("request")
            trace.event("grant", client=1)
        """,
        "--strict-markers",
        "-W",
        "error",
    )
    done.assert_outcomes(passed=1)


def test_a_violation_fails_the_test_with_its_evidence(run):
    done = run(
        """
        import pytest, time

        @pytest.mark.traceward("G(request -> F[0,20ms] grant)")
        def test_grants(trace):
            trace.event("request", client=7)
            time.sleep(0.05)
            trace.event("grant")
        """
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        [
            "*_ test_grants _*",
            "*violated  p1  G(request -> F[[]0,20ms[]] grant)",
            "*position 0 *request = true*",
            "what was recorded, by position:",
            "*0*ms  request client=7",
            "*1*ms  grant",
        ]
    )
    done.stdout.no_fnmatch_line("*pytest_traceward*Error*")


@pytest.mark.parametrize(
    ("failure", "said"), [("assert 1 + 1 == 3", "assert (1 + 1) == 3"), ("pytest.fail('by hand')", "Failed: by hand")]
)
def test_a_tests_own_failure_comes_first_and_the_violation_beside_it(run, failure, said):
    done = run(
        f"""
        import pytest

        @pytest.mark.traceward("G !error")
        def test_it(trace):
            trace.event("error")
            {failure}
        """
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines([f"E  *{said}", "*- Captured traceward call -*", "*violated  p1  G !error"])


def test_skips_and_expected_failures_stay_what_they_are(run):
    done = run(
        """
        import pytest

        @pytest.mark.traceward("G !error")
        def test_skipped(trace):
            pytest.skip("not today")

        @pytest.mark.xfail(strict=True)
        @pytest.mark.traceward("G !error")
        def test_expected(trace):
            trace.event("error")
        """
    )
    done.assert_outcomes(skipped=1, xfailed=1)


@pytest.mark.parametrize(
    ("marked", "body", "said"),
    [
        ('"G !error"', "pass", "*nothing was recorded*trace.event*"),
        ('"G(requst -> F grant)"', 'trace.event("request"); trace.event("grant")', "*the trace has no `requst`*"),
        ("""'G("requst" -> F "grant")'""", 'trace.event("request"); trace.event("grant")', '*did you mean "request"*'),
        ('"G(request -> "', 'trace.event("request")', "*`->` needs a right side*"),
        ('"G a", bye="x"', 'trace.event("a")', "*there is no option `bye`*"),
        ("", 'trace.event("a")', "*names no property*"),
    ],
    ids=["nothing recorded", "misspelt name", "misspelt string", "bad spec", "bad option", "no spec"],
)
def test_nothing_passes_silently(run, marked, body, said):
    done = run(
        f"""
        import pytest

        @pytest.mark.traceward({marked})
        def test_it(trace):
            {body}
        """
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines([said])


def test_a_mark_without_the_fixture_fails(run):
    done = run(
        """
        import pytest

        @pytest.mark.traceward("G !error")
        def test_it():
            pass
        """
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*needs the fixture `trace`*"])


def test_what_is_vacuous_is_warned_of(run):
    done = run(
        """
        import pytest

        @pytest.mark.traceward("G(request -> F grant)")
        def test_it(trace):
            trace.declare("request", "grant")
            trace.event("other")
        """
    )
    done.assert_outcomes(passed=1, warnings=1)
    done.stdout.fnmatch_lines(["*TraceWarning: p1 is satisfied, vacuously: `request` never holds*"])


def test_what_fixtures_record_counts_and_classes_may_be_marked(run):
    done = run(
        """
        import pytest, unittest

        @pytest.fixture
        def server(trace):
            trace.event("up")
            yield
            trace.event("down")

        @pytest.mark.traceward("G(request -> O up)")
        class TestServer:
            def test_ordered(self, server, trace):
                trace.event("request")

            def test_unordered(self, trace):
                trace.declare("up")
                trace.event("request")

        @pytest.mark.traceward("G !bad")
        class TestOld(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def recorded(self, trace):
                self.trace = trace

            def test_it(self):
                self.trace.event("bad")
        """
    )
    done.assert_outcomes(passed=1, failed=2)


def test_the_plugin_loads_no_native_code_where_it_is_not_used(run):
    done = run(
        """
        import sys

        def test_it():
            assert "pytest_traceward" in sys.modules
            assert "traceward" not in sys.modules
        """
    )
    done.assert_outcomes(passed=1)


def test_states_keep_their_values_until_they_are_set_again():
    trace = Recorder()
    trace.state(level=3, valve="open")
    trace.event("alarm", code=7)
    trace.state({"level": 9})
    columns = trace.columns()
    assert columns["level"] == [3, 3, 9] and columns["valve"] == ["open"] * 3
    assert columns["event"] == [None, "alarm", None] and columns["alarm"] == [False, True, False]
    assert columns["code"] == [None, 7, None]
    assert trace.check("G(alarm -> code == 7 & level == 3)").ok
    assert not trace.check("G(level < 9)").ok


def test_what_cannot_be_recorded_says_so():
    trace = Recorder()
    with pytest.raises(TypeError, match="`when` is a object; .* str"):
        trace.event("a", when=object())
    with pytest.raises(ValueError, match="`time` is a column that every"):
        trace.state(time=3)
    with pytest.raises(TypeError, match="a state needs a value"):
        trace.state()
    with pytest.raises(TypeError, match="not empty"):
        trace.event("")
    trace.event("a")
    trace.event("b", a=1)
    with pytest.raises(TraceError, match="`a` is an event and a variable"):
        trace.check("G a")
    trace.close()
    with pytest.raises(RuntimeError, match="the trace has ended"):
        trace.event("late")


def test_threads_record_in_order_of_time():
    trace = Recorder()

    def work(number):
        for count in range(500):
            trace.event("step", worker=number, count=count)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(trace) == 4000
    assert trace.columns()["time"] == sorted(trace.columns()["time"])
    # Those of each thread stand in its order.
    assert trace.check("G !(past(count) >= count)", by="worker").ok


def test_tasks_record():
    trace = Recorder()

    async def client(number):
        trace.event("request", client=number)
        await asyncio.sleep(0.001)
        trace.event("grant", client=number)

    async def all_of_them():
        await asyncio.gather(*(client(number) for number in range(20)))

    asyncio.run(all_of_them())
    report = trace.check("G(request -> F[0,10s] grant)", by="client")
    assert report.ok and report["p1"].keys.checked == 20
    # All requests come before all grants, so without a key one grant answers none in the next step.
    assert not trace.check("G(request -> X grant)").ok


def test_what_is_logged_is_recorded():
    trace = Recorder()
    logger = logging.getLogger("test_pytest_plugin.app")
    before = logger.level
    trace.capture_logging("test_pytest_plugin", logging.INFO)
    logger.info("opened", extra={"door": "north", "odd": object()})
    logger.debug("not of interest")
    logger.warning("shut after %d s", 3)
    trace.close()
    logger.warning("nobody listens")
    assert logger.level == before
    columns = trace.columns()
    assert columns["event"] == ["opened", "shut after 3 s"]
    assert columns["door"] == ["north", None] and columns["level"] == ["INFO", "WARNING"]
    assert logging.getLogger("test_pytest_plugin").level == logging.NOTSET


def test_a_level_that_is_not_given_stays_what_a_test_makes_it():
    trace = Recorder()
    logger = logging.getLogger("test_pytest_plugin.levels")
    trace.capture_logging(logger)
    logger.setLevel(logging.ERROR)
    trace.close()
    assert logger.level == logging.ERROR


def test_many_fields_of_many_states_are_columns_soon():
    trace = Recorder()
    for state in range(4_000):
        trace.state({f"x{state % 500}": state})
    begin = time.process_time()
    assert len(trace.columns()) == 501
    assert time.process_time() - begin < 1.5, "the fields of a state are put together once"


def test_strings_that_never_occur_are_refused_unless_declared():
    trace = Recorder()
    trace.event("request")
    with pytest.raises(SpecError, match="trace.declare"):
        trace.check('G("requst" -> X "request")')
    trace.declare("requst")
    assert trace.check('G("requst" -> X "request")').ok


def test_names_that_never_occur_come_with_a_way_out():
    trace = Recorder()
    trace.event("request")
    with pytest.raises(SpecError, match=r'the trace has no `error`(.|\n)*trace.declare\("error"\)') as caught:
        trace.check("G !error")
    assert caught.value.diagnostics[0].column == 4


def test_assert_trace_returns_the_report_or_fails_with_it():
    data = {"t": [0, 50, 300], "request": [1, 0, 0], "grant": [0, 0, 1]}
    assert assert_trace(data, "G(request -> F[0,300ms] grant)", time="t:ms").ok
    with pytest.raises(AssertionError, match="violated  p1") as caught:
        assert_trace(data, ["G(request -> F[0,100ms] grant)"], time="t:ms")
    assert "position 0" in str(caught.value)
    with pytest.warns(TraceWarning, match="vacuously"):
        assert_trace(data, "G(request & grant -> F grant)")
    with pytest.raises(TypeError, match="the trace comes first"):
        assert_trace("G request", data)
    with pytest.raises(TraceError, match="nothing was recorded"):
        assert_trace(Recorder(), "G request")
    frame = polars.DataFrame(data)
    for table in [frame.lazy(), frame.sample(fraction=1, shuffle=True, seed=1).lazy(), duckdb.from_arrow(frame.to_arrow())]:
        assert assert_trace(table, "G(request == 1 -> F[0,300ms] grant == 1)", time="t:ms", sort=True).ok


def test_a_long_trace_is_listed_in_part():
    trace = Recorder()
    for number in range(100):
        trace.event("tick", number=number)
    lines = str(trace).splitlines()
    assert len(lines) == 30 and "71 states before" in lines[0] and "number=99" in lines[-1]
