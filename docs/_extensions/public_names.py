"""Names in single backticks lead to the reference, also where a docstring leaves out the package."""

from __future__ import annotations

from typing import Any

from docutils import nodes

#: Where a short name may be found.
PACKAGES = ["hazboost", "hazboost.metrics", "hazboost.explain", "hazboost.prediction.curves"]


def complete(app: Any, env: Any, node: nodes.Element, content: nodes.Element) -> nodes.Element | None:
    """A link to ``hazboost.FPBoost.fit`` for ``FPBoost.fit``, and the like; None if nothing is found."""
    if node.get("refdomain") != "py":
        return None
    domain = env.get_domain("py")
    for package in PACKAGES:
        name = f"{package}.{node['reftarget']}"
        if domain.find_obj(env, None, None, name, "obj"):
            target: nodes.Element = domain.resolve_xref(
                env, node["refdoc"], app.builder, node["reftype"], name, node, content
            )
            return target
    return None


def setup(app: Any) -> dict[str, bool]:
    """Ask here before a name counts as missing."""
    app.connect("missing-reference", complete)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
