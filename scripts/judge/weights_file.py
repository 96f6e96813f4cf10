"""Packs the bundled model for a training, and writes what a training changed as the program's resource."""
import hashlib
import struct

import numpy as np
import torch

from minilm import Judge, WIDTH
from wordpiece import CLS, SEP

FORMAT = "helix-bg judge 1"
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
    """The model in half precision, in two files of some 20 MB: layers, and the words that occur."""
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
    """What is added to each weight, by the names of the export."""
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
    """Scales by column, and steps."""
    rows = difference.reshape(-1, difference.shape[-1])
    scales = np.maximum(np.abs(rows).max(0), 1e-12).astype(np.float32) / np.float32(127)
    return scales, np.rint(rows / scales).astype(np.int8)


def judge_of(weights, trained, quantised=True):
    """The judge as the program has it."""
    changed = dict(weights)
    for name, difference in differences(weights, trained):
        scales, steps = eight_bits(difference)
        added = (scales * steps).reshape(difference.shape) if quantised else difference
        changed[name] = weights[name] + added.astype(np.float32)
    model = Judge(changed).eval()
    model.head.weight.data = torch.from_numpy(trained["head.weight"].astype(np.float32))
    model.head.bias.data = torch.from_numpy(trained["head.bias"].astype(np.float32))
    return model


def text(value):
    data = value.encode("utf-8")
    return struct.pack(">H", len(data)) + data


def floats(values):
    return np.asarray(values, ">f4").tobytes()


def write(path, graph, weights, trained, calibration, probes, tokenizer, room):
    """graph: the bytes of the bundled graph; calibration: temperature and two bounds; probes: pairs of texts"""
    model = judge_of(weights, trained)
    changes = list(differences(weights, trained))
    out = [text(FORMAT), text(hashlib.sha256(graph).hexdigest()), struct.pack(">i", len(changes))]
    for name, difference in changes:
        scales, steps = eight_bits(difference)
        out += [text(name), struct.pack(">ii", len(steps), len(scales)), floats(scales), steps.tobytes()]
    out += [floats(trained["head.weight"]), floats(trained["head.bias"]), floats(calibration), struct.pack(">i", len(probes))]
    for older, newer in probes:
        one, other = tokenizer.ids(older)[:room], tokenizer.ids(newer)[:room]
        ids = torch.tensor([[CLS, *one, SEP, *other, SEP]])
        types = torch.tensor([[0] * (len(one) + 2) + [1] * (len(other) + 1)])
        with torch.no_grad():
            logits = model(ids, torch.tensor([ids.shape[1]]), types)[0].numpy()
        out += [text(older), text(newer), floats(logits)]
    data = b"".join(out)
    path.write_bytes(data + hashlib.sha256(data).digest())
