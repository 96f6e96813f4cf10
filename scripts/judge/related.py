"""Simulates the answers of the tool `related` about held-out notes, for several bounds: the probability from which on it names an entry, and the one below which it calls a note new.

For each note of the KBs for measurement, it considers the pairs that the judge has read and in which the note is the newer one, and names the entry with the largest probability of
same or overtaken. The answer is right if this pair was planted with this label, or if a person has read the pair and found it good. A pair that no person has read counts as wrong.
"""
import argparse
from pathlib import Path

import numpy as np

from calibrate import HeldOut, fit, probabilities
from corpus import FOLDS
from measure import FOUND, LOOKALIKE, OVERTAKEN_NOTE, REWRITE, cheap
from minilm import load_npz
from train import Data

ASKED = {REWRITE: "rewrites", OVERTAKEN_NOTE: "overtaken", LOOKALIKE: "look-alikes", 0: "others"}
BOUNDS = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
NEW = [0.02, 0.05, 0.1, 0.2]


def asked(data, kb, said, name, fitted):
    """Yields, for each note: the kind of its planted pair, the largest probability, whether its class is right, whether its entry is right, and the largest sum of both probabilities."""
    rows = said[name + ".rows"]
    p = probabilities(np.column_stack([said[name].astype(np.float64), cheap(data, kb, rows)]), fitted)[:, :2]
    of = [[] for _ in range(data.sizes[kb])]
    for i, row in enumerate(rows):
        of[data.b[row]].append(i)
    for some in of:
        kinds = data.kind[rows[some]]
        planted = max((int(k) for k in kinds if k in (REWRITE, OVERTAKEN_NOTE, LOOKALIKE)), default=0)
        if not some:
            yield planted, 0.0, False, False, 0.0
            continue
        which, verdict = np.unravel_index(p[some].argmax(), (len(some), 2))
        right = kinds[which] == OVERTAKEN_NOTE if verdict else kinds[which] in (REWRITE, FOUND)
        yield planted, p[some].max(), right, kinds[which] in (REWRITE, OVERTAKEN_NOTE, FOUND), p[some].sum(1).max()


def main():
    options = argparse.ArgumentParser(prog="related.py", description=__doc__)
    options.add_argument("--pairs", default="target/judge/pairs.npz")
    options.add_argument("--out", default="target/judge/out")
    options.add_argument("--models", default="f2-{fold}-s0", help="names of the models of the folds")
    options = options.parse_args()
    data = Data(options.pairs)
    said = [load_npz(Path(options.out) / f"said-{options.models.format(fold=f)}.npz") for f in range(FOLDS)]
    folds = [HeldOut(data, f, said[f]) for f in range(FOLDS)]
    rows = []
    for fold in range(FOLDS):
        fitted = fit([f for f in folds if f is not folds[fold]])
        for kb, name in enumerate(data.names):
            if data.measured[kb] and not data.real[kb] and data.folds[kb] == fold:
                rows += asked(data, kb, said[fold], name, fitted)
    planted, largest, right, entry, both = map(np.array, zip(*rows))
    for bound in BOUNDS:
        cells = []
        for kind, name in ASKED.items():
            named = (planted == kind) & (largest >= bound)
            cells.append(f"{name} {(named & right).sum()} right, {(named & entry).sum()} of the right entry, of {named.sum()} of {(planted == kind).sum()}")
        print(f"named from {bound:.2f}: " + "; ".join(cells))
    for bound in NEW:
        print(f"new below {bound:.2f}: " + ", ".join(f"{name} {100 * (both[planted == kind] < bound).mean():.0f} %" for kind, name in ASKED.items()))


if __name__ == "__main__":
    main()
