"""Export of fitted models to ONNX, for programs in other languages: docs/onnx.md."""

from __future__ import annotations

from hazboost.onnx.exporting import OUTPUTS, write_onnx

__all__ = ["OUTPUTS", "write_onnx"]
