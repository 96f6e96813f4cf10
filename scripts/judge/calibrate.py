"""Calibrates the pair judge: from what the models of the folds say of the collections held out, a temperature for all and the bounds of *likely*.

What was planted or read by somebody is the truth; a pair of real notes that nobody read counts for nothing. Only pairs that the report reads count.
"""
import argparse
from pathlib import Path

import numpy as np

from corpus import DIFFERENT, FOLDS, NEITHER, OVERTAKEN, SAME, UNKNOWN
from minilm import load_npz
from train import Data, candidates

RIGHT = 0.9
FEWEST = 20  # pairs that a bound is drawn from
NEVER = 2.0  # a bound that no probability reaches
NAMES = {SAME: "likely same", OVERTAKEN: "likely overtaken"}


def held_out(data, fold, said):
    """Log probabilities in the order older, newer, and labels, of the known pairs of a fold's collections, each text pair once."""
    logits, labels, seen = [], [], set()
    for kb, name in enumerate(data.names):
        if not data.measured[kb] or data.folds[kb] != fold:
            continue
        read = set(candidates(data, kb)[0])
        for row, z in zip(said[name + ".rows"], said[name + ".1"].astype(np.float64)):
            key = data.side_a[row], data.side_b[row]
            if row in read and data.label[row] != UNKNOWN and key not in seen:
                seen.add(key)
                logits.append(z)
                labels.append(data.label[row])
    return np.array(logits), np.array(labels)


def probabilities(logits, temperature):
    powers = np.exp((logits - logits.max(1, keepdims=True)) / temperature)
    return powers / powers.sum(1, keepdims=True)


def loss(logits, labels, temperature):
    p = probabilities(logits, temperature)
    exact = p[np.arange(len(p)), np.minimum(labels, DIFFERENT)]
    return -np.log(np.maximum(np.where(labels == NEITHER, p[:, 2] + p[:, 3], exact), 1e-9)).mean()


def best_temperature(logits, labels):
    tried = np.exp(np.linspace(np.log(0.5), np.log(5), 93))
    return float(tried[np.argmin([loss(logits, labels, t) for t in tried])])


def lowest_bound(p, right):
    """From which probability on nine of ten are right, or NEVER."""
    order = np.argsort(-p, kind="stable")
    shares = np.cumsum(right[order]) / np.arange(1, len(p) + 1)
    good = np.nonzero((shares >= RIGHT) & (np.arange(1, len(p) + 1) >= FEWEST))[0]
    return float(p[order[good[-1]]]) if len(good) else NEVER


def reliability(p, right):
    """Rows of: how many, what was promised, what was right."""
    edges = [0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0001]
    for low, high in zip(edges, edges[1:]):
        some = (p >= low) & (p < high)
        if some.any():
            print(f"  {low:.1f} to {min(high, 1):.1f}: {some.sum():4d} pairs, promised {100 * p[some].mean():3.0f} %, right {100 * right[some].mean():3.0f} %")
    return sum(((p >= a) & (p < b)).sum() * abs(p[(p >= a) & (p < b)].mean() - right[(p >= a) & (p < b)].mean()) for a, b in zip(edges, edges[1:]) if ((p >= a) & (p < b)).any()) / len(p)


def main():
    options = argparse.ArgumentParser(prog="train-judge calibrate", description=__doc__)
    options.add_argument("--pairs", default="target/judge/pairs.npz")
    options.add_argument("--out", default="target/judge/out")
    options.add_argument("--models", default="f3-{fold}-s0", help="names of the models of the folds")
    options = options.parse_args()
    data = Data(options.pairs)
    folds = [held_out(data, f, load_npz(Path(options.out) / f"said-{options.models.format(fold=f)}.npz")) for f in range(FOLDS)]
    join = lambda some: (np.concatenate([folds[f][0] for f in some]), np.concatenate([folds[f][1] for f in some]))
    logits, labels = join(range(FOLDS))
    temperature = best_temperature(logits, labels)
    for fold, (z, y) in enumerate(folds):
        print(f"fold {fold}: {len(y)} known pairs, {(y == SAME).sum()} same, {(y == OVERTAKEN).sum()} overtaken; temperature of its own {best_temperature(z, y):.2f}")
    print(f"temperature {temperature:.2f}: loss {loss(logits, labels, temperature):.3f}, {loss(logits, labels, 1):.3f} without")
    bounds = {}
    for kind, name in NAMES.items():
        p, right = probabilities(logits, temperature)[:, kind], labels == kind
        print(f"{name}:")
        error = reliability(p, right)
        print(f"  expected calibration error {100 * error:.1f} %")
        said = said_right = promised = 0
        for fold in range(FOLDS):  # the bound of the other folds, on this one
            z, y = join([f for f in range(FOLDS) if f != fold])
            t = best_temperature(z, y)
            bound = lowest_bound(probabilities(z, t)[:, kind], y == kind)
            z, y = folds[fold]
            named = probabilities(z, t)[:, kind] >= bound
            print(f"  fold {fold}, bound of the others {bound:.3f}: {named.sum()} named, {(named & (y == kind)).sum()} right, of {(y == kind).sum()}")
            said, said_right = said + named.sum(), said_right + (named & (y == kind)).sum()
        held = said >= FEWEST and said_right >= RIGHT * said
        bounds[kind] = lowest_bound(p, right) if held else NEVER
        print(f"  held out: {said_right} of {said} right" + (f" ({100 * said_right / said:.0f} %)" if said else "") + f", of {right.sum()}")
        if held:
            named = p >= bounds[kind]
            worth = labels[named] < 2
            print(f"  bound {bounds[kind]:.4f}: {named.sum()} named, {(named & right).sum()} right, {worth.sum()} same or overtaken; covers {100 * (named & right).sum() / right.sum():.0f} % of {right.sum()}")
        else:
            print(f"  nine of ten cannot be had: it abstains, bound {NEVER}")
    print(f"write with --temperature {temperature:.4f} --likely-same {bounds[SAME]:.4f} --likely-overtaken {bounds[OVERTAKEN]:.4f}")


if __name__ == "__main__":
    main()
