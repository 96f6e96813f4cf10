"""Measures a judge on KBs on which it was not trained: which pairs are first in its list, with confidence intervals, and the effect of the cheap score (similarity by vectors and words).

A pair is good if it was planted, or if a person has read it and called it same or overtaken. All other pairs count as bad.
"""
import numpy as np

from corpus import FOLDS, OVERTAKEN, UNKNOWN

CHEAP_WEIGHT = 6.0  # weight of the cheap score, relative to the log odds, for the tables; train-judge calibrate fits the weight of the program
WEIGHTS = [0, 2, 4, 6, 8, 10, 12, 16, 24]
REWRITE, OVERTAKEN_NOTE, LOOKALIKE, FOUND = 1, 2, 3, 4  # values of the column `kind`
DRAWS = 1000


def log_odds(p):
    """Returns the log odds that a pair is the same or overtaken, from the log probabilities of the classes."""
    return np.logaddexp(p[:, 0], p[:, 1]) - np.logaddexp(p[:, 2], p[:, 3])


def best_first(rows, scores):
    """Returns the rows that have a score, the highest score first."""
    rows = rows[~np.isnan(scores[rows])]
    return rows[np.argsort(-scores[rows], kind="stable")]


def candidates(data, kb, share=0.5):
    """Returns the rows of a KB that the judge reads, by default the first n/2 of helix-bg's list of pairs for n notes; then the other rows of the list."""
    rows = best_first(data.rows(kb), data.all)
    first = int(share * data.sizes[kb])
    return rows[:first], rows[first:]


def ranked(data, kb, said, weight=CHEAP_WEIGHT, share=0.5):
    """Returns the rows of a KB in the order of the report: first the rows that the judge reads, by rank, then all others.

    said: log odds by row; None to rank by the cheap score alone
    """
    if said is None:
        return best_first(data.rows(kb), data.all)
    read, others = candidates(data, kb, share=share)
    score = np.array([said.get(r, -99.0) for r in read]) + weight * cheap(data, kb, read)
    return np.concatenate([read[np.argsort(-score, kind="stable")], others])


def cheap(data, kb, rows):
    """Returns the cheap score of rows. A row without a score gets the lowest score of the KB."""
    return np.where(np.isnan(data.own[rows]), np.nanmin(data.own[data.rows(kb)]), data.own[rows])


def places(data, kb):
    n = data.sizes[kb]
    return [10, 20, 50, n // 10, n // 2]


def counts(data, kb, order):
    """Counts rewrites, overtaken notes, look-alikes, and pairs that a person has found good, among the first 10, 20, 50, n/10 and n/2 pairs."""
    return [[int((data.kind[order[:k]] == kind).sum()) for kind in (REWRITE, OVERTAKEN_NOTE, LOOKALIKE, FOUND)] for k in places(data, kb)]


def drawn(data, kb, order, seed):
    """Returns results for 1,000 random draws of the notes (bootstrap); a pair is drawn with its older note.

    The results are the shares of good pairs among the first 10, 20 and 50 pairs, and the shares of all good pairs that are among the first n/10 and n/2.
    """
    draw = np.random.RandomState(seed)
    n = data.sizes[kb]
    good, all_good = np.isin(data.kind[order], (REWRITE, OVERTAKEN_NOTE, FOUND)), data.rows(kb)
    all_good = all_good[np.isin(data.kind[all_good], (REWRITE, OVERTAKEN_NOTE, FOUND))]
    found = []
    for _ in range(DRAWS):
        times = np.bincount(draw.randint(n, size=n), minlength=n)
        weight = times[data.a[order]]
        until = np.cumsum(weight)
        first = lambda k: (weight * good)[until <= k].sum()
        total = max(1, times[data.a[all_good]].sum())
        found.append([first(10) / 10, first(20) / 20, first(50) / 50, first(n // 10) / total, first(n // 2) / total])
    return np.array(found)


def table(title, data, kbs, said_of, weight=CHEAP_WEIGHT):
    """Prints a line for each fold: means over its KBs, and 90 % intervals."""
    for fold in sorted({data.folds[k] for k in kbs}):
        some = [k for k in kbs if data.folds[k] == fold]
        orders = [ranked(data, k, said_of(k), weight) for k in some]
        means = np.mean([counts(data, k, order) for k, order in zip(some, orders)], 0)
        cells = [f"{r:.1f}+{o:.1f}{f'+{s:.1f}' if s else ''} ({x:.1f})" for r, o, x, s in means]
        draws = np.mean([drawn(data, k, order, 0) for k, order in zip(some, orders)], 0)
        low, high = np.percentile(draws, 5, 0) * 100, np.percentile(draws, 95, 0) * 100
        name = "project" if fold < 0 else f"fold {fold}"
        spans = f"{low[1]:.0f}–{high[1]:.0f} % of 20, {low[3]:.0f}–{high[3]:.0f} % in n/10, {low[4]:.0f}–{high[4]:.0f} % in n/2"
        print(f"{title:20s} {name:8s} n {int(data.sizes[some[0]]):5d} | " + " | ".join(cells) + " | " + spans, flush=True)


def average_precision(good, total):
    """Returns the mean of the precisions at each good pair of a list. total: number of good pairs, also outside the list"""
    return (np.cumsum(good) / np.arange(1, len(good) + 1))[good].sum() / max(1, total)


def real(title, data, kbs, said_of, weight=CHEAP_WEIGHT):
    """Prints a line for each collection without planted pairs: the number of good pairs among the first pairs that a person has read, and the average precision."""
    for kb in kbs:
        order = ranked(data, kb, said_of(kb), weight)[: data.sizes[kb] // 2]
        order = order[(data.read[order] == 1) & (data.label[order] != UNKNOWN)]
        good = data.label[order] <= OVERTAKEN
        precision = average_precision(good, good.sum())
        print(f"{title:20s} {data.names[kb][2:30]:28s} read {len(order):4d}, good {good.sum():3d} | of the first 10: {good[:10].sum()}, 20: {good[:20].sum()}, 50: {good[:50].sum()} | average precision {100 * precision:.1f}", flush=True)


def mean_precision(data, kb, order):
    """Returns the average precision, the mean of the precisions at each good pair, of the first n/2 pairs."""
    good = np.isin(data.kind[order[: data.sizes[kb] // 2]], (REWRITE, OVERTAKEN_NOTE, FOUND))
    rows = data.rows(kb)
    return average_precision(good, np.isin(data.kind[rows], (REWRITE, OVERTAKEN_NOTE, FOUND)).sum())


def mix(data, said_of):
    """Prints, for each fold, the average precision for several weights of the cheap score, and for several numbers of pairs that the judge reads."""
    folds = [f for f in (-1, *range(FOLDS)) if any(data.measured[k] and not data.real[k] and data.folds[k] == f and said_of(k) for k in range(len(data.names)))]
    kbs = {f: [k for k in range(len(data.names)) if data.measured[k] and not data.real[k] and data.folds[k] == f] for f in folds}
    for weight in WEIGHTS:
        row = [100 * np.mean([mean_precision(data, k, ranked(data, k, said_of(k), weight)) for k in kbs[f]]) for f in folds]
        print(f"weight of the cheap score {weight:4g}: average precision " + ", ".join(f"{'project' if f < 0 else f'fold {f}'} {x:.1f}" for f, x in zip(folds, row)), flush=True)
    for share in (0.1, 0.2, 0.3, 0.4, 0.5):
        row = [100 * np.mean([mean_precision(data, k, ranked(data, k, said_of(k), share=share)) for k in kbs[f]]) for f in folds]
        print(f"read {share:g} n pairs: average precision " + ", ".join(f"{'project' if f < 0 else f'fold {f}'} {x:.1f}" for f, x in zip(folds, row)), flush=True)


def classes(title, data, said, names):
    """Prints how often the most probable class is right, for pairs of held-out writers."""
    right = np.zeros((4, 4), int)
    for name in data.names:
        if name.startswith("w-") and name + ".rows" in said:
            labels = data.label[said[name + ".rows"]]
            np.add.at(right, (labels, said[name].argmax(1)), 1)
    if right.sum():
        shares = right / np.maximum(1, right.sum(1, keepdims=True))
        print(f"{title:20s} writers  right of " + ", ".join(f"{c} {100 * shares[i, i]:.0f} %" for i, c in enumerate(names)) + f"; look-alikes called same or overtaken {100 * (shares[3, 0] + shares[3, 1]):.1f} %", flush=True)
