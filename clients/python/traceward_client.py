"""Tells a Traceward observer what a program does.

    from traceward_client import Trace

    with Trace("tcp://127.0.0.1:7007", "mux") as trace:
        trace.state(x=1, y=0)
        trace.state(x=2)
        trace.event("enter", who="a")
        print(trace.end())          # {"mutex": "satisfied"}

The observer is `traceward monitor SPEC --listen tcp://127.0.0.1:7007`. One file, no dependencies, Python 3.9
or later. What is sent is described in docs/protocol.md.
"""

import json
import logging
import math
import os
import socket
import sys
import threading
import time

__all__ = ["Handler", "ObserverGone", "Trace"]


class ObserverGone(Exception):
    """The observer cannot be reached, or has turned this program away."""


class Trace:
    """A trace of this program, told to an observer. All methods may be called by any thread.

    address  `tcp://HOST:PORT` or `unix:PATH`
    name     the name of the trace in the observer's lines
    token    the observer's token, where it asks for one
    gone     what happens if the observer is not there (any more): "go on" (nothing; `trace.gone` says
             why, and nothing more is told) or "raise" (ObserverGone)
    timeout  seconds after which an observer that does not answer or read is gone
    """

    def __init__(self, address, name, token=None, *, gone="go on", timeout=5.0):
        if gone not in ("go on", "raise"):
            raise ValueError('gone is "go on" or "raise"')
        #: Why nothing more is told; None as long as the observer listens.
        self.gone = None
        #: The variables that the observer needs; others are not sent. None if it has not said so.
        self.needs = None
        #: What the observer has warned of, such as lines that it could not read.
        self.warnings = []
        self._policy, self._timeout, self._pid = gone, timeout, os.getpid()
        # Replies come to a thread of their own; whoever waits for one waits here.
        self._lock, self._told = threading.RLock(), threading.Condition()
        self._verdicts, self._states, self._end, self._ended = {}, 0, None, False
        self._socket = None
        try:
            self._socket = _connect(address, timeout)
            hello = {"name": name, "time": "ns", "answer": "verdicts"}
            lines = [] if token is None else ["token " + token]
            self._send(lines + ["traceward 1 " + json.dumps(hello)])
        except OSError as error:
            self._lose(f"{address}: {error}")
            return
        threading.Thread(target=self._listen, name="traceward", daemon=True).start()
        self._wait(lambda: self.needs is not None, "the observer does not answer")

    def state(self, values=None, /, **more):
        """Tells the next state: the values that have changed. None says that there is no value."""
        self._tell({**(values or {}), **more}, sys._getframe(1))

    def event(self, name, /, **fields):
        """Tells that something happened: a state of which `event` is the name."""
        self._tell({**fields, "event": name}, sys._getframe(1))

    @property
    def verdicts(self):
        """The verdict on each property, as far as the observer has told it."""
        with self._told:
            return dict(self._verdicts)

    def end(self):
        """Ends the trace, and waits for the verdicts on it, which are returned."""
        with self._lock:
            if not self._ended and self._is_open():
                self._ended = True
                self._try_to_send(["end"])
        if self.gone is None:
            self._wait(lambda: self._end is not None, "the observer does not say how the trace ended")
        self._close()
        return self.verdicts

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        try:
            self.end()
        except ObserverGone:
            # What went wrong in the program is more important than that nobody saw it.
            if kind is None:
                raise

    def _tell(self, values, frame, place=None):
        with self._lock:
            if self._ended:
                raise ValueError("the trace has ended")
            if not self._is_open():
                return
            if self.needs is not None:
                values = {key: value for key, value in values.items() if _root(key) in self._roots}
            at, function = place or (_place(frame), frame.f_code.co_name)
            told = {key: _plain(key, value) for key, value in values.items()}
            told.update({"@time": time.monotonic_ns(), "@at": at, "@in": function})
            # The default would write NaN and Infinity, which are no JSON.
            line = json.dumps(told, separators=(",", ":"), allow_nan=False)
            self._try_to_send([("next " if self._states else "init ") + line])
            self._states += 1

    def _is_open(self):
        """Whether somebody listens; raises if that is wanted."""
        if self.gone is None and os.getpid() != self._pid:
            # Two processes on one line would be one trace that nobody could read.
            self.gone = "this is another process, which has no trace"
        if self.gone is not None and self._policy == "raise":
            raise ObserverGone(self.gone)
        return self.gone is None

    def _try_to_send(self, lines):
        try:
            self._send(lines)
        except OSError as error:
            # The observer may have said why before it hung up.
            with self._told:
                self._told.wait_for(lambda: self.gone is not None, 0.2)
            self._lose(str(error))

    def _send(self, lines):
        self._socket.sendall("".join(line + "\n" for line in lines).encode())

    def _lose(self, reason):
        """Nobody listens any more."""
        with self._told:
            if self.gone is None:
                self.gone = reason
            self._told.notify_all()
        self._close()
        if self._policy == "raise":
            raise ObserverGone(self.gone)

    def _close(self):
        if self._socket is not None and os.getpid() == self._pid:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            self._socket.close()

    def _wait(self, is_told, reason):
        with self._told:
            in_time = self._told.wait_for(lambda: is_told() or self.gone is not None, self._timeout)
            gone = self.gone
        if not in_time or gone is not None:
            self._lose(gone or reason)

    def _listen(self):
        """Reads what the observer says, until it hangs up."""
        rest = b""
        while True:
            try:
                piece = self._socket.recv(65536)
            except socket.timeout:
                continue
            except OSError:
                piece = b""
            *lines, rest = (rest + piece).split(b"\n")
            with self._told:
                for line in lines:
                    self._hear(*line.decode(errors="replace").partition(" ")[::2])
                if not piece and self._end is None and self.gone is None:
                    self.gone = "the observer has hung up"
                self._told.notify_all()
            if not piece:
                # Not while somebody sends.
                with self._lock:
                    return self._close()

    def _hear(self, word, text):
        if word == "needs":
            self._roots = {_root(name) for name in json.loads(text)}
            self.needs = tuple(json.loads(text))
        elif word == "verdict":
            said = json.loads(text)
            if "property" in said:
                self._verdicts[said["property"]] = said["verdict"]
        elif word == "end":
            self._end = json.loads(text)
            self._verdicts.update((one["name"], one["verdict"]) for one in self._end.get("properties", []))
        elif word == "warning":
            self.warnings.append(text)
        elif word == "error":
            self.gone = text


class Handler(logging.Handler):
    """Tells a trace each record of `logging`: an event whose name is the message before its arguments are
    filled in, with `message`, `level`, `logger`, and what was given as `extra`."""

    def __init__(self, trace, level=logging.NOTSET):
        super().__init__(level)
        self.trace = trace

    def emit(self, record):
        try:
            own = {key: value for key, value in vars(record).items() if key not in _USUAL and _is_value(value)}
            told = {"message": record.getMessage(), "level": record.levelname, "logger": record.name}
            place = (f"{record.filename}:{record.lineno}", record.funcName)
            self.trace._tell({**own, **told, "event": str(record.msg)}, None, place)
        except Exception:
            self.handleError(record)


#: What every record of `logging` has.
_USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def _connect(address, timeout):
    if address.startswith("unix:"):
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line.settimeout(timeout)
        line.connect(address[len("unix:"):])
        return line
    host, colon, port = address.removeprefix("tcp://").rpartition(":")
    if not (address.startswith("tcp://") and colon and port.isdigit()):
        raise ValueError(f"{address!r} is no address: tcp://HOST:PORT or unix:PATH")
    line = socket.create_connection((host.strip("[]"), int(port)), timeout)
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return line


def _root(name):
    """The member of a state that a name may lead to: `a.b` may be the member `b` of `a`."""
    return name.split(".", 1)[0]


def _is_value(value):
    return value is None or isinstance(value, (bool, int, float, str))


def _plain(name, value):
    """The value as JSON has it: a NaN is no value."""
    if isinstance(value, float) and math.isnan(value):
        return None
    if _is_value(value) or isinstance(value, (dict, list, tuple)):
        return value
    raise TypeError(f"{name}: a value is a bool, number, string or None, not {type(value).__name__}")


def _place(frame):
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
