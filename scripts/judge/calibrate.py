"""Calibrates the judge of notes on held-out collections of notes, from the logits of the models of the folds, none of which was trained on the fold's collections. Fits the weight
of the cheap score (similarity by vectors and words), a temperature, two biases, and the bounds from which a pair is called *likely the same* or *likely overtaken*.

Uses all pairs that the pair judge would read in the KBs for measurement: the real pairs of the collections and, for a few notes in a hundred, a planted rewrite, a newer
note or a look-alike. The labels of planted pairs, and of pairs that a person has read, are known. Any other pair counts as neither same nor overtaken, so no result is too good.
"""
import argparse
from pathlib import Path

import numpy as np

from corpus import DIFFERENT, FOLDS, NEITHER, OVERTAKEN, SAME, UNKNOWN
from measure import LOOKALIKE, OVERTAKEN_NOTE, REWRITE, average_precision, candidates, cheap, log_odds
from minilm import load_npz
from train import Data

RIGHT = 0.9
FEWEST = 20  # minimum number of pairs above a bound
NEVER = 2.0  # a bound that no probability reaches
NAMES = {SAME: "likely same", OVERTAKEN: "likely overtaken"}
BIASES = np.linspace(-8, 4, 61)
WEIGHTS = np.linspace(0, 24, 25)
DRAWS = 1000
SHARES = [1, 1 / 2, 1 / 3]  # shares of the planted notes that are kept: real KBs have fewer repetitions, and the bounds must hold for them, too


class HeldOut:
    """The logits of a fold's model for its held-out pairs, with labels, and with the note by which a pair is drawn for confidence intervals."""

    def __init__(self, data, fold, said):
        logits, labels, notes, known, scores, planted = [], [], [], [], [], []
        for kb, name in enumerate(data.names):
            if not data.measured[kb] or data.real[kb] or data.folds[kb] != fold:
                continue
            at = {row: i for i, row in enumerate(said[name + ".rows"])}
            rows = candidates(data, kb)[0]
            logits.append(said[name][[at[r] for r in rows]].astype(np.float64))
            labels.append(np.where(data.label[rows] == UNKNOWN, NEITHER, data.label[rows]))
            known.append(data.label[rows] != UNKNOWN)
            scores.append(cheap(data, kb, rows))
            notes.append(data.a[rows] + 100_000 * fold)
            some = data.rows(kb)[np.isin(data.kind[data.rows(kb)], (REWRITE, OVERTAKEN_NOTE, LOOKALIKE))]
            planted.append(np.isin(data.a[rows], data.b[some]).astype(int) + np.isin(data.b[rows], data.b[some]))
        self.labels, self.notes, self.known, self.planted = map(np.concatenate, (labels, notes, known, planted))
        self.kbs = np.repeat(np.arange(len(labels)), [len(x) for x in labels])
        self.seen = np.column_stack([np.concatenate(logits), np.concatenate(scores)])


def joined(some):
    return np.concatenate([f.seen for f in some]), np.concatenate([f.labels for f in some])


def probabilities(seen, fitted):
    """Returns the probabilities of the four classes.

    seen: four logits and the cheap score; fitted: temperature, biases of same and overtaken, weight of the cheap score
    """
    temperature, same, overtaken, weight = fitted
    powers = seen[:, :4].copy()
    powers[:, :2] += np.array([same, overtaken]) + weight * seen[:, 4:]
    powers = np.exp((powers - powers.max(1, keepdims=True)) / temperature)
    return powers / powers.sum(1, keepdims=True)


def loss(seen, labels, fitted):
    p = probabilities(seen, fitted)
    exact = p[np.arange(len(p)), np.minimum(labels, DIFFERENT)]
    return -np.log(np.maximum(np.where(labels >= 2, p[:, 2] + p[:, 3], exact), 1e-9)).mean()


def precision(folds, weight):
    """Returns the mean of the average precisions of all KBs of the folds."""
    means = []
    for fold in folds:
        score = log_odds(fold.seen) + weight * fold.seen[:, 4]
        for kb in np.unique(fold.kbs):
            good = (fold.labels < 2)[fold.kbs == kb][np.argsort(-score[fold.kbs == kb], kind="stable")]
            means.append(average_precision(good, good.sum()))
    return np.mean(means)


def fit(folds):
    """Chooses the weight of the cheap score with the best ranks, then the other parameters with the least loss, in turn until none changes."""
    seen, labels = joined(folds)
    weight = float(max(WEIGHTS, key=lambda w: precision(folds, w)))
    choices = [np.exp(np.linspace(np.log(0.5), np.log(5), 47)), BIASES, BIASES]
    best, before = [1.0, 0.0, 0.0, weight], None
    while best != before:
        before = list(best)
        for i, tried in enumerate(choices):
            best[i] = float(min(tried, key=lambda x: loss(seen, labels, [*best[:i], x, *best[i + 1 :]])))
    return best


def lowest_bound(p, right):
    """Returns the lowest probability, at least 0.9, from which on nine of ten pairs are right; NEVER if there is none."""
    order = np.argsort(-p, kind="stable")
    shares = np.cumsum(right[order]) / np.arange(1, len(p) + 1)
    good = np.nonzero((shares >= RIGHT) & (p[order] >= RIGHT) & (np.arange(1, len(p) + 1) >= FEWEST))[0]
    return float(p[order[good[-1]]]) if len(good) else NEVER


def shares_right(p, right, planted, bound):
    """Returns, for each share of the planted notes that is kept (SHARES), the share of right pairs among those from a bound on.

    planted: number of notes of each pair that have a planted companion
    """
    named = p >= bound
    return [float(((share**planted) * right)[named].sum() / max(1e-9, (share**planted)[named].sum())) for share in SHARES]


def reliability(p, right):
    """Prints, for ranges of the probability p, the number of pairs, the mean of p and the share of right pairs; returns the expected calibration error."""
    edges, error = [0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0001], 0
    for low, high in zip(edges, edges[1:]):
        some = (p >= low) & (p < high)
        if some.any():
            print(f"  {low:.2f} to {min(high, 1):.2f}: {some.sum():5d} pairs, promised {100 * p[some].mean():4.1f} %, right {100 * right[some].mean():4.1f} %")
            error += some.sum() * abs(p[some].mean() - right[some].mean())
    return error / len(p)


def interval(notes, named, right):
    """Returns the 90 % interval of the share of right pairs among the named ones, by drawing the notes again (bootstrap)."""
    draw = np.random.RandomState(0)
    some, place = np.unique(notes, return_inverse=True)
    shares = []
    for _ in range(DRAWS):
        times = np.bincount(draw.randint(len(some), size=len(some)), minlength=len(some))[place]
        shares.append((times * (named & right)).sum() / max(1, (times * named).sum()))
    return np.percentile(shares, [5, 95]) * 100


def main():
    options = argparse.ArgumentParser(prog="train-judge calibrate", description=__doc__)
    options.add_argument("--pairs", default="target/judge/pairs.npz")
    options.add_argument("--out", default="target/judge/out")
    options.add_argument("--models", default="f2-{fold}-s0", help="names of the models of the folds")
    options = options.parse_args()
    data = Data(options.pairs)
    folds = [HeldOut(data, f, load_npz(Path(options.out) / f"said-{options.models.format(fold=f)}.npz")) for f in range(FOLDS)]
    fitted = fit(folds)
    print("temperature {:.2f}, biases of same {:.1f} and overtaken {:.1f}, weight of the cheap score {:.0f}".format(*fitted), end="")
    print(f": loss {loss(*joined(folds), fitted):.4f}, {loss(*joined(folds), [1, 0, 0, 0]):.4f} without; average precision {100 * precision(folds, fitted[3]):.1f}, {100 * precision(folds, 0):.1f} without")
    others = [fit([f for f in folds if f is not fold]) for fold in folds]
    p = np.concatenate([probabilities(fold.seen, by) for fold, by in zip(folds, others)])
    labels, notes, known, planted = (np.concatenate([getattr(f, name) for f in folds]) for name in ("labels", "notes", "known", "planted"))
    fold_of = np.repeat(np.arange(FOLDS), [len(f.labels) for f in folds])
    print(f"of {len(labels)} pairs {(labels < 2).sum()} are worth an act: ActFrequency.CALIBRATED")
    print("each fold calibrated by the others:")
    bounds = {}
    for kind, name in NAMES.items():
        right = labels == kind
        print(f"{name}:")
        print(f"  expected calibration error {100 * reliability(p[:, kind], right):.1f} %")
        named = np.zeros(len(p), bool)
        for fold in range(FOLDS):
            here = fold_of == fold
            bound = lowest_bound(p[~here, kind], right[~here])
            named |= here & (p[:, kind] >= bound)
            some = named & here
            print(f"  fold {fold}, bound of the others {bound:.3f}: {some.sum()} named, {(some & right).sum()} right, {(some & ~known).sum()} read by nobody, of {(here & right).sum()}")
        count, good = named.sum(), (named & right).sum()
        held = count >= FEWEST and good >= RIGHT * count
        bound = lowest_bound(p[:, kind], right) if held else NEVER
        shares = shares_right(p[:, kind], right, planted, bound)
        while bound < 1 and min(shares) < RIGHT:
            bound = np.floor(100 * bound + 1) / 100
            shares = shares_right(p[:, kind], right, planted, bound)
        bounds[kind] = bound if bound < 1 else NEVER
        low, high = interval(notes, named, right)
        print(f"  held out: {good} of {count} right ({100 * good / max(1, count):.0f} %, {low:.0f} to {high:.0f}), {(named & (labels < 2)).sum()} worth an act, of {right.sum()}")
        if bound < 1:
            words = ", ".join(f"{100 * right:.0f} % with {share:.2f}" for share, right in zip(SHARES, shares))
            print(f"  bound {bound:.3f}: {(p[:, kind] >= bound).sum()} named, right {words} of the planted notes")
        else:
            print(f"  no bound makes nine of ten right: the judge abstains, bound {NEVER}")
    print(f"write with --temperature {fitted[0]:.4f} --biases {fitted[1]:.4f} {fitted[2]:.4f} --cheap {fitted[3]:.4f} --likely-same {bounds[SAME]:.4f} --likely-overtaken {bounds[OVERTAKEN]:.4f}")


if __name__ == "__main__":
    main()
