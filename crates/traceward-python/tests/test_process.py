"""What a long-running process asks of a library: threads, signals, memory."""

import gc
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
import pyarrow
import pytest

import traceward
from traceward import Monitor, Spec, check, lint

CSV = b"request,grant\n" + b"1,0\n0,1\n" * 50


def resident():
    """The memory of this process, in MiB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def test_many_checks_at_once():
    spec = Spec(["G(request -> F grant)", "G !request"])
    table = pyarrow.table({"request": [True, False] * 20_000, "grant": [False, True] * 20_000})

    def ask(number):
        report = check(spec, CSV if number % 2 else table, max_violations=number % 5 + 1)
        return [str(one.verdict) for one in report.properties], len(report["p2"].violations)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(200)))
    assert answers == [(["satisfied", "violated"], number % 5 + 1) for number in range(200)]


def test_other_threads_go_on_while_a_check_works():
    table = {"x": numpy.arange(3_000_000)}
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        columns = pyarrow.table(table)
        begin = time.monotonic()
        check(["G x >= 0", "G(x > 5 -> F x > 7)"], columns)
        end = time.monotonic()
    finally:
        done.set()
        thread.join()
    during = [tick for tick in ticks if begin <= tick <= end]
    assert len(during) >= 2 or end - begin < 0.02


INTERRUPTED = """
    import os, signal, sys, threading, time
    import traceward

    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    try:
        # Whether a search ends at its limits before the signal comes depends on the machine.
        while True:
            try:
                {work}
            except traceward.LimitError:
                pass
    except KeyboardInterrupt:
        print("interrupted", time.monotonic() - begin)
        print(traceward.check("F a", b"a\\n0\\n1\\n").ok)
"""

WORK = {
    "engine": 'traceward.check("G(a -> F(b & F(a & F(b & F a))))", {"a": [True, False] * 5000, "b": [False, True] * 5000}, engine="naive")',
    "lint": "traceward.lint([f'G(a -> F[0,{300 + n}] (b & F[0,{200 + n}] c))' for n in range(8)])",
    "compare": "traceward.compare('G(a -> F[0,2000] (b & F[0,2000] c))', 'G(a -> F[0,2001] (b & F[0,2001] c))')",
    "automaton": "traceward.automaton(' & '.join(f'G(a{n} -> F[0,9] b{n})' for n in range(12)), "
    "kind='deterministic', work_limit=10**12, state_limit=10**9, memory_limit=4000).to_dict()",
    "stream": "traceward.check('G a', sys.argv[1])",
    "batches": "import pyarrow, itertools; batch = pyarrow.record_batch({'a': [True] * 1000}); "
    "traceward.check('G a', pyarrow.RecordBatchReader.from_batches(batch.schema, itertools.repeat(batch)))",
}


@pytest.mark.parametrize("work", WORK)
def test_ctrl_c_ends_long_work(work, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = None
    if work == "stream":
        script = f"import time\nwith open({str(pipe)!r}, 'w') as out:\n  out.write('a\\n')\n  while True:\n    out.write('1\\n' * 1000)\n    out.flush()\n    time.sleep(0.01)\n"
        writer = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL)
    try:
        script = textwrap.dedent(INTERRUPTED).format(work=WORK[work])
        done = subprocess.run([sys.executable, "-c", script, str(pipe)], capture_output=True, text=True, timeout=60)
    finally:
        if writer:
            writer.kill()
            writer.wait()
    lines = done.stdout.split()
    assert lines[:1] == ["interrupted"], done.stdout + done.stderr
    # What does not look at the flag is left behind after five seconds.
    assert float(lines[1]) < 5 and lines[2] == "True"


def test_the_program_is_ended_by_a_signal(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    program = subprocess.Popen([sys.executable, "-m", "traceward", "check", "-e", "G a", str(pipe)])
    with open(pipe, "w") as out:
        out.write("a\n1\n")
        out.flush()
        time.sleep(0.3)
        program.send_signal(signal.SIGINT)
        assert program.wait(10) in (-signal.SIGINT, 2)


def test_memory_stays_flat():
    spec = Spec(["G(request -> F grant)", "F grant"])
    table = pyarrow.table({"request": [True, False] * 500, "grant": [False, True] * 500})

    def work(times):
        for number in range(times):
            check(spec, table).to_dict()
            check(spec, CSV, max_violations=number % 40 + 1)
            pyarrow.table(check("G request", table).to_arrow())
            with Monitor(spec) as monitor:
                monitor.step(request=True, grant=True)
                monitor.step_batch(table)
            with pytest.raises(ValueError):
                check("G nothing", CSV)

    work(150)
    gc.collect()
    before = resident()
    work(1500)
    gc.collect()
    assert resident() - before < 12, f"{before} MiB before, {resident()} MiB behind"


def test_no_reference_is_kept():
    spec, options = Spec("G request"), {"by": None}
    table = pyarrow.table({"request": [True] * 10})
    callback = lambda change: None  # noqa: E731
    for _ in range(3):
        counts = [sys.getrefcount(one) for one in (spec, table, CSV, callback)]
        for _ in range(100):
            check(spec, table, **options)
            check(spec, CSV)
            Monitor(spec, on_verdict=callback).step(request=True)
        gc.collect()
    assert [sys.getrefcount(one) for one in (spec, table, CSV, callback)] == counts


def test_no_reference_is_kept_on_a_debug_build(tmp_path):
    """A debug build counts all references there are, not only those of what is handed over."""
    interpreter = shutil.which("python3-dbg")
    assert interpreter, "a debug build of Python is missing: install python3-dbg"
    # Only the package: others in the environment were compiled for its interpreter.
    shutil.copytree(Path(traceward.__file__).parent, tmp_path / "traceward")
    script = Path(__file__).with_name("references.py")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([interpreter, script], env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    kept = {name: int(count) for name, count in (line.split(": ") for line in done.stdout.splitlines())}
    assert len(kept) == 22 and kept.pop("kept on purpose") >= 100
    assert {name: count for name, count in kept.items() if count >= 10} == {}


def test_a_child_of_a_process_asks_again():
    assert not check("G request", CSV).ok
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if not check("G request", CSV).ok and not lint("F a | G !a").ok else 1)
        except BaseException:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
