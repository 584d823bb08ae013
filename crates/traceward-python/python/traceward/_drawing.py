"""Answers as pages and pictures: what notebooks show of them."""

from __future__ import annotations

import base64
import html
import sys
from typing import TYPE_CHECKING, Any, Dict, Optional

from . import _native
from ._errors import Error

if TYPE_CHECKING:
    from ._report import Report

#: Heights in pixels, as a browser lays pages out: of a page's head and foot, of a property or query, of its row in the
#: list of several, of what is shown of a violation, and of a key.
_HEAD, _CARD, _ROW, _VIOLATED, _KEY = 235, 160, 40, 490, 28

#: The height beyond which a page is scrolled inside of its frame.
_HIGHEST = 900


def in_notebook() -> bool:
    """Whether answers are shown by a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def _image(svg: str, about: str) -> str:
    # As an image, it runs nothing, and its style is its own.
    data = base64.b64encode(svg.encode()).decode()
    return f'<img src="data:image/svg+xml;base64,{data}" alt="{html.escape(about)}" style="max-width:100%">'


def _frame(page: str, about: str, height: int) -> str:
    # A page inside of another one that it cannot reach: the sandbox gives it no origin, and its own policy runs no
    # script but the one that it was made with.
    style = f"width:100%;height:{height}px;border:1px solid #8886;border-radius:8px;resize:vertical;overflow:auto"
    return (
        f'<iframe sandbox="allow-scripts" title="{html.escape(about)}" style="{style}" '
        f'srcdoc="{html.escape(page)}"></iframe>'
    )


def _height(document: Dict[str, Any]) -> int:
    properties = document["properties"]
    is_violated = any(one["verdict"] == "violated" for one in properties)
    height = _HEAD + _CARD * (len(properties) + len(document["queries"])) + _VIOLATED * is_violated
    height += _ROW * (len(properties) + 2) if len(properties) > 1 else 0
    keys = max((one["keys"]["checked"] for one in properties if one.get("keys")), default=0)
    height += 140 + _KEY * min(keys, 12) if keys else 0
    return min(_HIGHEST, height)


class DrawnReport:
    """A report that can be looked at."""

    __slots__ = ()

    def to_html(self: Report) -> str:  # type: ignore[misc]
        """The report as a page that needs nothing else, as the program writes it with ``--html``.

        Its timelines are those that ``check(..., drawn=True)`` has kept; in a notebook they are kept
        anyway.

        >>> from traceward import check
        >>> page = check("G x < 3", {"x": [1, 5]}, drawn=True).to_html()
        >>> page.startswith("<!doctype html>")
        True
        """
        return _native.page(self._whole())

    def to_svg(self: Report) -> str:  # type: ignore[misc]
        """The values of the queries as a picture, as the program draws it with ``--svg``.

        >>> from traceward import query
        >>> query("latency(a -> b)", {"a": [1, 0, 0], "b": [0, 0, 1]}, drawn=True).to_svg()[:4]
        '<svg'
        """
        return _native.picture(self._whole())

    def _repr_html_(self: Report) -> Optional[str]:  # type: ignore[misc]
        """What a notebook shows: the page in a frame, or the picture if nothing but queries was asked."""
        if self._native is None:
            return None
        document = self._made()
        if not document["properties"]:
            try:
                return _image(self.to_svg(), str(self))
            except Error:
                pass  # It cannot be drawn, and the page says what there is.
        return _frame(self.to_html(), "The report of Traceward", _height(document))


class DrawnAutomaton:
    """An automaton that can be looked at."""

    __slots__ = ()

    def _repr_svg_(self: Any) -> Optional[str]:
        """The picture, where there is one: what is too large to be drawn is shown as text."""
        try:
            return str(self.to("svg"))
        except Error:
            return None

    def _repr_html_(self: Any) -> Optional[str]:
        svg = self._repr_svg_()
        return None if svg is None else _image(svg, str(self))
