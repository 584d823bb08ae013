"""Answers as objects. They are made from the documents that the program prints as JSON."""

from __future__ import annotations

import copy
import json
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _native
from ._drawing import DrawnAutomaton, DrawnReport
from ._native import ArrowTable
from ._verdict import Verdict


class _Document:
    """Something made from a document, which it gives back."""

    __slots__ = ("_document",)
    _document: Dict[str, Any]

    def __init__(self, document: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_document", document)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __getattr__(self, name: str) -> Any:
        # Members that have no property of their own: `evidence`, `coverage`, `waiting`, …
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._document[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no `{name}`; it may have to be asked for") from None

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._document == other._document  # type: ignore[attr-defined]

    def __reduce__(self) -> Tuple[Any, ...]:
        return (type(self), (self._document,))

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> Dict[str, Any]:
        """The document, as plain data. It is the caller's to change."""
        return json.loads(json.dumps(self._document))


class Violation(_Document):
    """A state at which a property fails."""

    __slots__ = ()

    @property
    def position(self) -> int:
        """The position of the state in its trace, counted from 0."""
        return self._document["position"]

    @property
    def line(self) -> Optional[int]:
        """The line of the file, or the row of the table, counted from 1."""
        return self._document.get("line")

    def __repr__(self) -> str:
        return f"<Violation at position {self.position}>"


class KeyVerdict(_Document):
    """The verdict for a key."""

    __slots__ = ()

    @property
    def key(self) -> str:
        """The key."""
        return self._document["key"]

    @property
    def verdict(self) -> Verdict:
        """The verdict for the key."""
        return Verdict(self._document["verdict"])

    def __repr__(self) -> str:
        return f"<KeyVerdict: {_native.shown(self.key)} is {self.verdict}>"


class Keys(_Document):
    """The verdicts on a property by key, if the trace was split."""

    __slots__ = ()

    @property
    def checked(self) -> int:
        """The number of keys."""
        return self._document["checked"]

    @property
    def violated(self) -> int:
        """The number of keys for which the property is violated."""
        return self._document["violated"]

    @property
    def vacuous(self) -> int:
        """The number of keys for which a trigger never happened."""
        return self._document["vacuous"]

    @property
    def first_violations(self) -> Tuple[KeyVerdict, ...]:
        """The first keys for which it is violated."""
        return tuple(KeyVerdict(one) for one in self._document["first_violations"])

    def __repr__(self) -> str:
        return f"<Keys: {self.violated} of {self.checked} violated>"


class Violations(Sequence[int]):
    """The positions at which the body of an always fails: the first ones, and how many there are."""

    __slots__ = ("count", "_first")
    count: int

    def __init__(self, count: int, first: Sequence[int]) -> None:
        self.count = count
        self._first = tuple(first)

    def __getitem__(self, index: Any) -> Any:
        return self._first[index]

    def __len__(self) -> int:
        return len(self._first)

    def __repr__(self) -> str:
        more = f" of {self.count}" if self.count > len(self._first) else ""
        return f"<Violations at {', '.join(map(str, self._first))}{more}>"


class Property(_Document):
    """The answer about a property."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """Its name; those without one are `p1`, `p2`, …"""
        return self._document["name"]

    @property
    def formula(self) -> str:
        """Its text in the spec."""
        return self._document["formula"]

    @property
    def verdict(self) -> Verdict:
        """Whether it holds."""
        return Verdict(self._document["verdict"])

    @property
    def ok(self) -> bool:
        """Whether it is not violated."""
        return self.verdict is not Verdict.VIOLATED

    @property
    def engine(self) -> str:
        """The engine that found out."""
        return self._document["engine"]

    @property
    def decided_at(self) -> Optional[int]:
        """The position whose state made the verdict final; none if that was known at the end."""
        return self._document["decided_at"]

    @property
    def vacuous(self) -> Optional[str]:
        """The trigger that never happened, if the property is satisfied only because of that."""
        return self._document["vacuous"]

    @property
    def truth(self) -> Optional[str]:
        """A 1 for each position at which it holds, with ``positions=True``."""
        return self._document.get("truth")

    @property
    def violations(self) -> Violations:
        """The positions at which the body of an always fails; nothing for other properties."""
        found = self._document.get("violations") or {"count": 0, "first": []}
        return Violations(found["count"], found["first"])

    @property
    def keys(self) -> Optional[Keys]:
        """The verdicts by key, if the trace was split."""
        found = self._document.get("keys")
        return None if found is None else Keys(found)

    def __repr__(self) -> str:
        return f"<Property {self.name}: {self.verdict}>"


class Query(_Document):
    """The answer about a query."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """Its name; those without one are `q1`, `q2`, …"""
        return self._document["name"]

    @property
    def value(self) -> Any:
        """Its value; none if it has none, and if the trace was split."""
        return self._document.get("value")

    def __repr__(self) -> str:
        return f"<Query {self.name}: {self.value!r}>"


class Report(DrawnReport):
    """The answers to all questions of a spec about a trace.

    ``str(report)`` is what the program prints. A report is true if nothing is violated, so that
    ``assert check(...)`` fails where it should.

    >>> from traceward import check
    >>> report = check("G(request -> F grant)", b"request,grant\\n1,0\\n0,1\\n1,0\\n")
    >>> report.ok
    False
    >>> report.properties[0].verdict
    <Verdict.VIOLATED: 'violated'>
    >>> list(report["p1"].violations)
    [2]
    """

    __slots__ = ("_native", "_document", "_text")

    def __init__(self, native: Optional[_native.Report], document: Any = None, text: Optional[str] = None) -> None:
        self._native = native
        self._document = document
        self._text = text

    def _made(self) -> Dict[str, Any]:
        if self._document is None:
            assert self._native is not None
            self._document = json.loads(self._native.json())
        return self._document

    @property
    def ok(self) -> bool:
        """Whether no property is violated."""
        if self._native is not None:
            return self._native.ok
        return all(one["verdict"] != "violated" for one in self._made()["properties"])

    def __bool__(self) -> bool:
        return self.ok

    @property
    def states(self) -> int:
        """The number of states of the trace."""
        return self._made()["trace"]["states"]

    @property
    def trace(self) -> Dict[str, Any]:
        """What is told of the trace itself."""
        return self.to_dict()["trace"]

    @property
    def properties(self) -> Tuple[Property, ...]:
        """The answer about each property, in the spec's order."""
        return tuple(Property(one) for one in self._made()["properties"])

    @property
    def queries(self) -> Tuple[Query, ...]:
        """The answer about each query, in the spec's order."""
        return tuple(Query(one) for one in self._made()["queries"])

    @property
    def violated(self) -> Tuple[Property, ...]:
        """The properties that are violated."""
        return tuple(one for one in self.properties if not one.ok)

    @property
    def warnings(self) -> List[Dict[str, Any]]:
        """Probable mistakes in what was asked."""
        return self.to_dict()["warnings"]

    @property
    def values(self) -> Dict[str, Any]:
        """The value of each query by its name."""
        return {one.name: one.value for one in self.queries}

    def __getitem__(self, name: str) -> Union[Property, Query]:
        for one in (*self.properties, *self.queries):
            if one.name == name:
                return one
        names = ", ".join(one.name for one in (*self.properties, *self.queries))
        raise KeyError(f"there is no property or query `{name}`; there are {names}")

    def __contains__(self, name: object) -> bool:
        return any(one.name == name for one in (*self.properties, *self.queries))

    # What has items by their names is no sequence of them.
    __iter__ = None

    def to_dict(self) -> Dict[str, Any]:
        """The document that the program prints with ``--format json``."""
        if self._native is not None:
            return json.loads(self._native.json())
        return json.loads(json.dumps(self._made()))

    def to_arrow(self) -> ArrowTable:
        """A table with a row for each property, for whatever takes Arrow data."""
        return self._whole().properties_table()

    def keys_to_arrow(self) -> ArrowTable:
        """A table with a row for each key: verdicts on properties, and values of queries."""
        table = self._whole().keys_table()
        if table is None:
            raise ValueError('the trace was not split by key; by="COLUMN" splits it')
        return table

    def _whole(self) -> _native.Report:
        if self._native is None:
            raise ValueError("a report that was pickled has no tables any more; to_dict() has all of it")
        return self._native

    def __str__(self) -> str:
        if self._native is not None:
            return self._native.text().rstrip("\n")
        return self._text or ""

    def __repr__(self) -> str:
        return f"<Report: {_counted(self._made())}>\n{self}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self._made() == other._made()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> Tuple[Any, ...]:
        return (Report, (None, self._made(), str(self)))

    def __copy__(self) -> Report:
        return Report(self._native, self._document, self._text)

    def __deepcopy__(self, memo: Dict[int, Any]) -> Report:
        # What is native cannot be changed, and so is shared: tables are made of it.
        return Report(self._native, copy.deepcopy(self._document, memo), self._text)


def _counted(document: Dict[str, Any]) -> str:
    verdicts = [one["verdict"] for one in document["properties"]]
    parts = [f"{verdicts.count(one)} {one}" for one in Verdict if one in verdicts]
    parts += [f"{len(document['queries'])} measured"] if document["queries"] else []
    return ", ".join(parts) or "nothing was asked"


class MonitorReport(_Document):
    """What a monitor has come to at the end of its trace. It is true if nothing is violated."""

    __slots__ = ()

    @property
    def ok(self) -> bool:
        """Whether no property is violated."""
        return not self.violated

    def __bool__(self) -> bool:
        return self.ok

    @property
    def states(self) -> int:
        """The number of states."""
        return self._document["states"]

    @property
    def verdicts(self) -> Dict[str, Verdict]:
        """The verdict on each property by its name."""
        return {one["name"]: Verdict(one["verdict"]) for one in self._document["properties"]}

    @property
    def violated(self) -> Tuple[str, ...]:
        """The names of the properties that are violated."""
        return tuple(name for name, verdict in self.verdicts.items() if verdict is Verdict.VIOLATED)

    @property
    def values(self) -> Dict[str, Any]:
        """The value of each query by its name."""
        return {one["name"]: one.get("value") for one in self._document.get("queries", [])}

    @property
    def keys(self) -> Dict[str, Dict[str, Any]]:
        """How many traces of keys were checked and violated for each property by its name, and the
        first of them; nothing without ``by``."""
        return {one["name"]: one["keys"] for one in self._document["properties"] if "keys" in one}

    @property
    def summaries(self) -> Dict[str, Dict[str, Any]]:
        """The values of each query over keys, summed up, by its name; nothing without ``by``."""
        return {one["name"]: one["summary"] for one in self._document.get("queries", []) if "summary" in one}

    def __getitem__(self, name: str) -> Any:
        known = {**self.values, **self.verdicts}
        if name not in known:
            raise KeyError(f"there is no property or query `{name}`; there are {', '.join(known)}")
        return known[name]

    def __contains__(self, name: object) -> bool:
        return name in self.verdicts or name in self.values

    __iter__ = None

    def __str__(self) -> str:
        lines = [f"{self.states} states"]
        for name, verdict in self.verdicts.items():
            keys = self.keys.get(name)
            of_keys = f" ({keys['violated']} of {keys['checked']} violated)" if keys else ""
            lines.append(f"{name}: {verdict}{of_keys}")
        lines += [f"{name} = {_native.shown(str(value))}" for name, value in self.values.items() if name not in self.summaries]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<MonitorReport: {', '.join(str(self).splitlines())}>"


class _Worded(_Document):
    """A document that comes with a text for people."""

    __slots__ = ("_text",)
    _text: str

    def __init__(self, document: Mapping[str, Any], text: str) -> None:
        super().__init__(document)
        object.__setattr__(self, "_text", text)

    def __reduce__(self) -> Tuple[Any, ...]:
        return (type(self), (self._document, self._text))

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>\n{self}"


class Column(_Document):
    """What a column holds."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """Its name."""
        return self._document["name"]

    @property
    def type(self) -> str:
        """The type of its values: ``empty``, ``bool``, ``int``, ``float`` or ``text``."""
        return self._document["type"]

    def __repr__(self) -> str:
        return f"<Column {_native.shown(self.name)}: {self.type}>"


class Inspection(_Worded):
    """What a trace holds: what one needs to know to write the first property."""

    __slots__ = ()

    @property
    def states(self) -> int:
        """The number of states."""
        return self._document["states"]

    @property
    def columns(self) -> Tuple[Column, ...]:
        """The columns, in order of appearance."""
        return tuple(Column(one) for one in self._document["columns"])

    def __getitem__(self, name: str) -> Column:
        for one in self.columns:
            if one.name == name:
                return one
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return any(one.name == name for one in self.columns)

    __iter__ = None


class Finding(_Document):
    """Something odd about a property."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<Finding: {self._document.get('finding')} {self._document.get('property')}>"


class LintReport(_Worded):
    """What is odd about properties. It is true if nothing is."""

    __slots__ = ()

    @property
    def findings(self) -> Tuple[Finding, ...]:
        """What is odd."""
        return tuple(Finding(one) for one in self._document["findings"])

    @property
    def ok(self) -> bool:
        """Whether nothing is odd."""
        return not self._document["findings"]

    def __bool__(self) -> bool:
        return self.ok

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)


class Comparison(_Worded):
    """How two formulas are related. It is true if they mean the same."""

    __slots__ = ()

    @property
    def relation(self) -> str:
        """The relation: ``equal``, …"""
        return self._document["relation"]

    @property
    def equal(self) -> bool:
        """Whether both hold on the same traces."""
        return self.relation == "equal"

    def __bool__(self) -> bool:
        return self.equal


class Plan(_Worded):
    """What becomes of formulas and queries: tree, core, normal form, automaton, engine."""

    __slots__ = ()


class Automaton(DrawnAutomaton):
    """The automaton of a property, in any of its forms."""

    __slots__ = ("_spec", "_options", "_text")

    def __init__(self, spec: Any, options: Dict[str, Any]) -> None:
        self._spec = spec
        self._options = options
        self._text = self.to("text")

    def to(self, form: str) -> str:
        """The automaton as ``text``, ``dot``, ``json``, ``svg``, ``hoa``, ``fsp``, ``c`` or ``rust``."""
        return _native.automaton(self._spec, form, self._options)

    def to_dict(self) -> Dict[str, Any]:
        """The document that the program prints with ``--to json``."""
        return json.loads(self.to("json"))

    @property
    def svg(self) -> str:
        """A picture of it."""
        return self.to("svg")

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<Automaton>\n{self}"
