"""Packs the bundled model for training, and writes the changes of a training as a resource of the program: judge.weights or facts.weights.

The format of a resource. Numbers are big-endian; a string has two bytes of length, then UTF-8; a float has four bytes:

    string            FORMAT
    byte[32]          SHA-256 of all bytes after it
    float             temperature, by which logits are divided before they become probabilities
    float, float      lowest probabilities of *likely the same* and *likely overtaken*; above 1 if a pair is never called so
    float             factor of the cheap score (similarity by vectors and words), which is added to the logits of same and overtaken for ranks (by their log odds) and probabilities
    float[4][384]     weights of the head, which computes the logits of same, overtaken, related and different from the first state of the last layer
    float[4]          biases of the head
    string            SHA-256 of the bundled ONNX graph, in hexadecimal
    int               number of layers of the graph that are used; the last layer computes only the first state
    int               number of changed weights; for each of them
      string            name of the weight, as read_onnx names it; matrices have the shape [in, out], a vector is one row
      int, int          rows, columns
      float[columns]    scale of each column
      byte[rows][columns]  signed steps: scale times step is added to the weight
    float[4][384]     token types, which replace the two of the graph: first text, second text, then the two types of tokens that the other text also has
    int               number of probes, pairs of texts that check an implementation; for each of them two strings, older and newer, and
      float[4]          their logits, computed with the steps above in single precision

A pair judge reads [CLS] older [SEP] newer [SEP], with the first 220 tokens of each text. [CLS], the older text and the [SEP] after it have type 0, the rest type 1. A token
whose id is also among the tokens that are read of the other text has a type that is greater by 2; this is never so for [CLS] and [SEP].
"""
import hashlib
import struct

import numpy as np
import torch

from minilm import JUDGE_LAYERS, Judge, WIDTH
from wordpiece import CLS, SEP

FORMAT = "helix-bg judge 5"
WORDS = "embeddings.word_embeddings.weight"
PARTS = ["query", "key", "value"]
NAMES = {
    "mix": "attention.output.dense.weight", "mix_bias": "attention.output.dense.bias",
    "mix_norm": "attention.output.LayerNorm.weight", "mix_norm_bias": "attention.output.LayerNorm.bias",
    "up": "intermediate.dense.weight", "up_bias": "intermediate.dense.bias",
    "down": "output.dense.weight", "down_bias": "output.dense.bias",
    "down_norm": "output.LayerNorm.weight", "down_norm_bias": "output.LayerNorm.bias",
}  # fmt: skip


def pack(weights, tokens, folder):
    """Writes the model in half precision, in two files of about 20 MB: the layers, and the vectors of the words that occur in the texts."""
    half = {name: w.astype(np.float16) for name, w in weights.items() if name != WORDS}
    np.savez(folder / "layers.npz", **half)
    rows = np.union1d(np.unique(tokens), [CLS, SEP]).astype(np.uint16)
    np.savez(folder / "words.npz", **{"rows": rows, "words": weights[WORDS][rows].astype(np.float16)})


def unpack(paths):
    weights = {}
    for path in paths:
        stored = np.load(path)
        if "rows" in stored.files:
            weights[WORDS] = np.zeros((30522, WIDTH), np.float32)
            weights[WORDS][stored["rows"]] = stored["words"]
        else:
            weights.update({name: stored[name].astype(np.float32) for name in stored.files})
    return weights


def differences(weights, trained):
    """Yields the name of each changed weight in the ONNX export, and the difference that training added to it."""
    for name, value in trained.items():
        if not name.startswith("body.layers."):
            continue
        _, _, layer, part = name.split(".")
        prefix = f"encoder.layer.{layer}."
        if part.startswith("project"):
            kind = "bias" if part.endswith("bias") else "weight"
            for one, columns in zip(PARTS, np.split(value, 3, axis=-1)):
                full = f"{prefix}attention.self.{one}.{kind}"
                yield full, columns - weights[full]
        else:
            yield prefix + NAMES[part], value - weights[prefix + NAMES[part]]


def eight_bits(difference):
    """Rounds a difference to 8 bits: returns the scale of each column, and the steps."""
    rows = difference.reshape(-1, difference.shape[-1])
    scales = np.maximum(np.abs(rows).max(0), 1e-12).astype(np.float32) / np.float32(127)
    return scales, np.rint(rows / scales).astype(np.int8)


def judge_of(weights, trained, quantised=True):
    """Returns a pair judge with the weights that the program computes from a resource."""
    changed = dict(weights)
    for name, difference in differences(weights, trained):
        scales, steps = eight_bits(difference)
        added = (scales * steps).reshape(difference.shape) if quantised else difference
        changed[name] = weights[name] + added.astype(np.float32)
    model = Judge(changed).eval()
    model.body.types.data = torch.from_numpy(trained["body.types"].astype(np.float32))
    model.head.weight.data = torch.from_numpy(trained["head.weight"].astype(np.float32))
    model.head.bias.data = torch.from_numpy(trained["head.bias"].astype(np.float32))
    return model


def text(value):
    data = value.encode("utf-8")
    return struct.pack(">H", len(data)) + data


def floats(values):
    return np.asarray(values, ">f4").tobytes()


def write(path, graph, weights, trained, calibration, biases, probes, tokenizer, room):
    """Writes a resource.

    graph: the bytes of the bundled graph; calibration: temperature, two bounds, weight of the cheap score; biases: numbers added to the logits of same and overtaken; probes: pairs of texts
    """
    trained = dict(trained)
    trained["head.bias"] = trained["head.bias"].astype(np.float32) + np.array([*biases, 0, 0], np.float32)
    model = judge_of(weights, trained)
    changes = list(differences(weights, trained))
    out = [floats(calibration), floats(trained["head.weight"]), floats(trained["head.bias"])]
    out += [text(hashlib.sha256(graph).hexdigest()), struct.pack(">ii", JUDGE_LAYERS, len(changes))]
    for name, difference in changes:
        scales, steps = eight_bits(difference)
        out += [text(name), struct.pack(">ii", len(steps), len(scales)), floats(scales), steps.tobytes()]
    out += [floats(trained["body.types"]), struct.pack(">i", len(probes))]
    for older, newer in probes:
        one, other = tokenizer.ids(older)[:room], tokenizer.ids(newer)[:room]
        ids = torch.tensor([[CLS, *one, SEP, *other, SEP]])
        types = torch.tensor([[0, *(2 * (t in other) for t in one), 0, *(1 + 2 * (t in one) for t in other), 1]])
        with torch.no_grad():
            logits = model(ids, torch.tensor([ids.shape[1]]), types)[0].numpy()
        out += [text(older), text(newer), floats(logits)]
    data = b"".join(out)
    path.write_bytes(text(FORMAT) + hashlib.sha256(data).digest() + data)
