"""Reads the weights of an exported BERT from the ONNX file, without a library."""
import numpy as np


def _fields(data, start, end):
    """Yields the fields of a protobuf message: the number, and the value or the range of bytes."""
    while start < end:
        key, start = _varint(data, start)
        if key & 7 == 0:
            value, start = _varint(data, start)
        elif key & 7 == 2:
            size, start = _varint(data, start)
            value, start = (start, start + size), start + size
        else:
            value, start = None, start + (8 if key & 7 == 1 else 4)
        yield key >> 3, value


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def read_onnx(data):
    """Returns the weights of an exported BERT by their names in PyTorch; matrices have the shape [in, out].

    An export names biases and tables, but not the matrices. A matrix gets its name from the bias that is added to its product.
    """
    weights, products, sums = {}, {}, []
    graph = next(value for field, value in _fields(data, 0, len(data)) if field == 7)
    for field, value in _fields(data, *graph):
        if field == 5:
            name, dims, kind, raw = "", [], 0, b""
            for f, v in _fields(data, *value):
                if f == 1 and isinstance(v, int):
                    dims.append(v)
                elif f == 1:
                    at = v[0]
                    while at < v[1]:
                        dim, at = _varint(data, at)
                        dims.append(dim)
                elif f == 2:
                    kind = v
                elif f == 8:
                    name = data[v[0] : v[1]].decode()
                elif f == 9:
                    raw = v
            if kind == 1 and raw:
                weights[name] = np.frombuffer(data, "<f4", (raw[1] - raw[0]) // 4, raw[0]).reshape(dims)
        elif field == 1:
            inputs, outputs, operator = [], [], ""
            for f, v in _fields(data, *value):
                if f in (1, 2):
                    (inputs if f == 1 else outputs).append(data[v[0] : v[1]].decode())
                elif f == 4:
                    operator = data[v[0] : v[1]].decode()
            if operator == "MatMul":
                products[outputs[0]] = inputs[1]
            elif operator == "Add" and len(inputs) == 2:
                sums.append(inputs)
    for one, other in (pair for s in sums for pair in (s, s[::-1])):
        if other in products and one.endswith(".bias"):
            weights[one[: -len("bias")] + "weight"] = weights[products[other]]
    return {n: w for n, w in weights.items() if n.startswith(("embeddings.", "encoder."))}
