"""A graph of ONNX operators that grows node by node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias

import numpy.typing as npt

#: Versions of the operators: those of ``ai.onnx.ml`` from 5 on have trees of many scores that split categories.
OPSETS = {"": 21, "ai.onnx.ml": 5}
#: Version of the file format that came with these operators.
IR_VERSION = 10
#: Type, by its number in ONNX, and shape of an input or output; an axis of any size has a name.
Value: TypeAlias = tuple[int, Sequence[str | int]]


def onnx_package() -> ModuleType:
    """The package ``onnx``, or an error that says how to get it."""
    try:
        return import_module("onnx")
    except ImportError as error:
        raise ImportError("to_onnx needs onnx, which is not installed: pip install 'hazboost[onnx]'.") from error


@dataclass
class Graph:
    """Nodes and constants.

    Attributes
    ----------
    nodes : list
        Nodes, in the order in which they are computed.
    constants : dict
        Arrays by name.
    """

    nodes: list[Any] = field(default_factory=list)
    constants: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    _names: dict[Any, str] = field(default_factory=dict)

    def constant(self, values: npt.NDArray[Any]) -> str:
        """Name of a constant; equal ones are kept once."""
        key = values.dtype.str, values.shape, values.tobytes()
        name = self._names.setdefault(key, f"constant_{len(self.constants)}")
        self.constants.setdefault(name, values)
        return name

    def add(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add a node with one output, and return the name of it."""
        name = f"{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(onnx_package().helper.make_node(operator, inputs, [name], name, domain=domain, **attributes))
        return name

    def rename(self, name: str, output: str) -> None:
        """Give a result the name of an output of the model."""
        self.nodes.append(onnx_package().helper.make_node("Identity", [name], [output], output))

    def model(self, inputs: Mapping[str, Value], outputs: Mapping[str, Value], metadata: Mapping[str, str]) -> Any:
        """The whole model, without what no output needs."""
        onnx = onnx_package()
        nodes = _needed(self.nodes, outputs)
        used = {name for node in nodes for name in node.input}
        given, wanted = (
            [onnx.helper.make_tensor_value_info(name, *value) for name, value in values.items()]
            for values in (inputs, outputs)
        )
        constants = [onnx.numpy_helper.from_array(one, name) for name, one in self.constants.items() if name in used]
        graph = onnx.helper.make_graph(nodes, "hazboost", given, wanted, constants)
        opsets = [onnx.helper.make_opsetid(domain, version) for domain, version in OPSETS.items()]
        model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="hazboost")
        onnx.helper.set_model_props(model, dict(metadata))
        onnx.checker.check_model(model)
        return model


def _needed(nodes: list[Any], outputs: Iterable[str]) -> list[Any]:
    """The nodes on which the outputs depend, in their order."""
    wanted, kept = set(outputs), []
    for node in reversed(nodes):
        if wanted.intersection(node.output):
            wanted.update(node.input)
            kept.append(node)
    return kept[::-1]
