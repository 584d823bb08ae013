"""Tests of the client with a real observer. TRACEWARD names the program `traceward`."""

import json
import logging
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from traceward_client import Handler, ObserverGone, Trace

SPEC = ["-e", "G(x < 2)", "-e", "F y == 1"]


class Observer:
    """An observer that runs, on a port that is free."""

    def __init__(self, arguments=SPEC, address="tcp://127.0.0.1:0"):
        command = [os.environ["TRACEWARD"], "monitor", "--listen", address, *arguments]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True)
        said = self.process.stderr.readline()
        if not said.startswith("listening on "):
            raise AssertionError(said + self.process.stderr.read())
        self.address = said.split()[-1]

    def end(self):
        """Ends it; returns its lines, what it complains of, and its status."""
        self.process.send_signal(signal.SIGTERM)
        out, errors = self.process.communicate(timeout=20)
        return [json.loads(line) for line in out.splitlines()], errors, self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def wait_for(is_so, seconds=10):
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            raise AssertionError("it does not come about")
        time.sleep(0.01)


class TraceTest(unittest.TestCase):
    def test_states_are_told_with_their_place(self):
        with Observer() as observer:
            with Trace(observer.address, "mux", gone="raise") as trace:
                self.assertEqual(sorted(trace.needs), ["x", "y"])
                trace.state(x=1, y=0, unneeded=[1])
                wait_for(lambda: trace.verdicts == {"p1": "holding", "p2": "pending"})
                trace.state(x=2)
                trace.state({"y": 1})
                self.assertEqual(trace.end(), {"p1": "violated", "p2": "satisfied"})
                self.assertEqual(trace.end(), {"p1": "violated", "p2": "satisfied"})
                with self.assertRaises(ValueError):
                    trace.state(x=1)
            lines, errors, status = observer.end()
            self.assertEqual((errors, status), ("", 1))
            violation = next(line for line in lines if line.get("verdict") == "violated")
            self.assertEqual((violation["client"], violation["position"], violation["values"]), ("mux", 1, {"x": 2}))
            self.assertRegex(violation["source"]["at"], r"^test_traceward_client\.py:\d+$")
            self.assertEqual(violation["source"]["in"], "test_states_are_told_with_their_place")
            self.assertGreater(violation["time_ns"], 0)

    def test_events_belong_to_one_state(self):
        spec = ["-e", 'G("open" -> X !"open")', "--event", "event"]
        with Observer(spec) as observer:
            with Trace(observer.address, "door", gone="raise") as trace:
                trace.event("open", by="a")
                trace.state(x=float("nan"))
                self.assertEqual(trace.end(), {"p1": "satisfied"})
            self.assertEqual(observer.end()[2], 0)

    def test_values_that_cannot_be_told_are_refused(self):
        with Observer() as observer, Trace(observer.address, "odd", gone="raise") as trace:
            for value, error in [(object(), TypeError), (float("inf"), ValueError), (b"x", TypeError)]:
                with self.assertRaises(error):
                    trace.state(x=value, y=0)
            trace.state(x=None, y="text")
            wait_for(lambda: trace.warnings)
            self.assertIn("line 2 is skipped", trace.warnings[0])
            trace.state(x=1, y=1)

    def test_threads_share_a_trace(self):
        with Observer(["-e", "G(n >= 0)", "--only-final"]) as observer:
            with Trace(observer.address, "threads", gone="raise") as trace:
                def work():
                    for number in range(200):
                        trace.state(n=number)
                threads = [threading.Thread(target=work) for _ in range(8)]
                [thread.start() for thread in threads]
                [thread.join() for thread in threads]
            lines, errors, status = observer.end()
            self.assertEqual((lines[-1]["states"], lines[-1]["skipped"], errors, status), (1600, 0, "", 0))

    def test_names_are_told_apart(self):
        with Observer() as observer:
            for _ in range(2):
                with Trace(observer.address, "mux", gone="raise") as trace:
                    trace.state(x=1, y=1)
            ends = [line["client"] for line in observer.end()[0] if "end" in line]
            self.assertEqual(ends, ["mux", "mux#2"])

    def test_files_are_addresses_too(self):
        with tempfile.TemporaryDirectory() as folder:
            with Observer(address=f"unix:{folder}/observer") as observer:
                with Trace(observer.address, "file", gone="raise") as trace:
                    trace.state(x=1, y=1)
                    self.assertEqual(trace.end()["p1"], "satisfied")

    def test_an_address_is_checked(self):
        for address in ["localhost:5", "tcp://localhost", "udp://h:1"]:
            with self.assertRaises(ValueError):
                Trace(address, "x")
        with self.assertRaises(ValueError):
            Trace("tcp://127.0.0.1:1", "x", gone="whatever")


class TokenTest(unittest.TestCase):
    def test_a_token_is_said_first(self):
        with tempfile.NamedTemporaryFile("w", suffix=".token") as file:
            file.write("correct-horse-battery\n")
            file.flush()
            with Observer([*SPEC, "--token-file", file.name]) as observer:
                with Trace(observer.address, "mux", token="correct-horse-battery", gone="raise") as trace:
                    trace.state(x=1, y=1)
                for token in [None, "wrong-horse-battery"]:
                    with self.assertRaisesRegex(ObserverGone, "token"):
                        Trace(observer.address, "mux", token=token, gone="raise")
                self.assertIn("token", Trace(observer.address, "mux").gone)


class GoneTest(unittest.TestCase):
    def test_nobody_is_there(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = "tcp://127.0.0.1:%d" % free.getsockname()[1]
        with self.assertRaises(ObserverGone):
            Trace(address, "x", gone="raise")
        with Trace(address, "x") as trace:
            trace.state(x=1)
            trace.event("e")
            self.assertEqual(trace.end(), {})
            self.assertIn("refused", trace.gone)

    def test_the_observer_is_killed(self):
        for policy in ["go on", "raise"]:
            with Observer() as observer:
                trace = Trace(observer.address, "x", gone=policy)
                trace.state(x=1, y=0)
                observer.process.kill()
                observer.process.wait()
                wait_for(lambda: trace.gone)
                if policy == "raise":
                    self.assertRaises(ObserverGone, trace.state, x=1)
                    self.assertRaises(ObserverGone, trace.end)
                else:
                    for number in range(1000):
                        trace.state(x=number)
                    trace.end()
                    self.assertIsNotNone(trace.gone)

    def test_an_observer_that_does_not_answer_is_gone(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            address = "tcp://127.0.0.1:%d" % silent.getsockname()[1]
            begun = time.monotonic()
            trace = Trace(address, "x", timeout=0.3)
            self.assertLess(time.monotonic() - begun, 5)
            self.assertIn("does not answer", trace.gone)
            with self.assertRaises(ObserverGone):
                Trace(address, "x", timeout=0.3, gone="raise")

    def test_an_exception_of_the_program_is_not_hidden(self):
        with Observer() as observer, self.assertRaises(KeyError):
            with Trace(observer.address, "x", gone="raise") as trace:
                trace.state(x=1, y=0)
                observer.process.kill()
                observer.process.wait()
                raise KeyError("of the program")

    def test_a_child_process_does_not_speak_for_its_parent(self):
        with Observer(["-e", "G(x < 2)", "--only-final"]) as observer:
            with Trace(observer.address, "parent", gone="raise") as trace:
                trace.state(x=1)
                child = os.fork()
                if child == 0:
                    try:
                        trace.state(x=5)
                        os._exit(1)
                    except ObserverGone:
                        os._exit(0)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
                trace.state(x=1)
            lines, _, status = observer.end()
            self.assertEqual((lines[-1]["states"], status), (2, 0))


class HandlerTest(unittest.TestCase):
    def test_records_are_events(self):
        spec = ["-e", 'G(event == "lock %s" -> who == "a")', "-e", 'F level == "ERROR"', "-e", "F message == \"lock b\""]
        with Observer(spec) as observer:
            with Trace(observer.address, "log", gone="raise") as trace:
                logger = logging.getLogger("traceward.test")
                logger.propagate = False
                logger.setLevel(logging.INFO)
                handler = Handler(trace)
                logger.addHandler(handler)
                try:
                    logger.info("lock %s", "a", extra={"who": "a", "odd": object()})
                    logger.debug("not told")
                    logger.error("lock %s", "b", extra={"who": "b"})
                finally:
                    logger.removeHandler(handler)
                self.assertEqual(trace.end(), {"p1": "violated", "p2": "satisfied", "p3": "satisfied"})
            lines, _, status = observer.end()
            violation = next(line for line in lines if line.get("verdict") == "violated")
            self.assertEqual((violation["position"], lines[-1]["states"], status), (1, 2, 1))
            self.assertEqual(violation["source"]["in"], "test_records_are_events")

    def test_a_handler_never_hurts_the_program(self):
        with Observer() as observer, Trace(observer.address, "log") as trace:
            handler = Handler(trace)
            trace.end()
            raised, logging.raiseExceptions = logging.raiseExceptions, False
            try:
                handler.emit(logging.makeLogRecord({"msg": "%d", "args": ("no number",)}))
                handler.emit(logging.makeLogRecord({"msg": "after the end"}))
            finally:
                logging.raiseExceptions = raised


if __name__ == "__main__":
    unittest.main()
