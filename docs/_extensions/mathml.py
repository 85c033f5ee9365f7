"""Formulas as MathML, which browsers draw themselves: no script, no network, and screen readers can read them."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)

#: TeX sets a thin space on both sides of log, exp and the like, unless a parenthesis follows. Browsers do not.
THIN = '<mspace width="0.167em"/>'
BEFORE = re.compile(r"(</m(?:i|n|sub|sup|subsup|frac)>\s*)(?=<mi>[a-z]{2,}</mi>\s*<mo>&ApplyFunction;)")
AFTER = re.compile(r"(<mo>&ApplyFunction;</mo>)(?!\s*<mo[^>]*>\()")


def convert(node: nodes.Element, *, as_block: bool) -> str:
    """MathML of a formula; one that cannot be converted is a warning, and stays as it was written."""
    formula = node.astext()
    try:
        mathml = str(tex2mathml(formula, as_block=as_block))
    except (MathError, IndexError) as error:  # the latter where something is missing
        logger.warning("formula %r: %s", formula, error, location=node)
        return f"<code>{formula}</code>"
    return AFTER.sub(rf"\1{THIN}", BEFORE.sub(rf"\1{THIN}", mathml))


def visit_inline(translator: Any, node: nodes.Element) -> None:
    """Write a formula within a line."""
    translator.body.append(convert(node, as_block=False))
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.Element) -> None:
    """Write a formula on a line of its own, which scrolls where it is too wide."""
    translator.body.append(f'<div class="formula">{convert(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer under the name ``mathml``."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
