"""Export to ONNX, compared with what onnxruntime computes from it."""
