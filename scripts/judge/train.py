"""Trains the pair judge: one model for each fold of writers and collections that is held out, and one with all; prints how good they are.

Needs Python 3.9, PyTorch 1.13 and NumPy (Debian: python3-torch python3-numpy; with libopenblas0-pthread it is seven times as fast).
"""
import argparse
import contextlib
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
import numpy as np
import torch

from corpus import FOLDS, NEITHER, UNKNOWN
from minilm import CLASSES, Judge, load_npz
from weights_file import unpack
from wordpiece import CLS, SEP

BATCH = 48
RATE = 1e-4
EPOCHS = 4
NEGATIVES = 1.2  # of an epoch, for each pair with a label
READ_TIMES = 4  # a pair of real notes that somebody read counts so often
WRITTEN_ORDER = 0.75  # share of pairs shown in the order in which they were written
CLASS_WEIGHTS = [1.3, 1.0, 0.8, 0.8]
SMOOTHING = 0.05
OWN_WEIGHT = 8.0  # of the cheap score beside the log odds


class Data:
    def __init__(self, path):
        stored = load_npz(path)
        self.__dict__.update(stored)
        self.names = [str(n) for n in stored["names"]]
        self.measured = np.array([n.startswith("m-") for n in self.names])

    def side(self, number):
        return self.tokens[self.starts[number] : self.starts[number + 1]]

    def rows(self, kb):
        return np.nonzero(self.kb == kb)[0]


def batch_of(data, pairs, device, shared=True):
    """pairs: rows with whether the older one comes first; shared: a token that the other text has, too, is marked by its type"""
    sequences = []
    for row, forward in pairs:
        one, other = data.side(data.side_a[row]), data.side(data.side_b[row])
        if not forward:
            one, other = other, one
        sequences.append((one, other))
    lengths = np.array([len(a) + len(b) + 3 for a, b in sequences])
    columns = -(-lengths.max() // 8) * 8
    ids, types = np.zeros((len(pairs), columns), np.int64), np.zeros((len(pairs), columns), np.int64)
    for i, (a, b) in enumerate(sequences):
        ids[i, 0], ids[i, 1 : len(a) + 1], ids[i, len(a) + 1] = CLS, a, SEP
        ids[i, len(a) + 2 : lengths[i] - 1], ids[i, lengths[i] - 1] = b, SEP
        types[i, len(a) + 2 : lengths[i]] = 1
        if shared:
            types[i, 1 : len(a) + 1] += 2 * np.isin(a, b)
            types[i, len(a) + 2 : lengths[i] - 1] += 2 * np.isin(b, a)
    move = lambda x: torch.from_numpy(x).to(device, non_blocking=True)
    return move(ids), move(lengths), move(types)


def length(data, row):
    return data.starts[data.side_a[row] + 1] - data.starts[data.side_a[row]] + data.starts[data.side_b[row] + 1] - data.starts[data.side_b[row]]


def autocast(device):
    return torch.autocast("cuda", dtype=torch.bfloat16) if device.type == "cuda" else contextlib.nullcontext()


@torch.no_grad()
def predict(model, data, rows, forward, device, shared=True):
    """Log probabilities of the four classes."""
    model.eval()
    found = np.zeros((len(rows), 4), np.float32)
    order = np.argsort([length(data, r) for r in rows], kind="stable")
    size = 128 if device.type == "cuda" else 8
    for at in range(0, len(order), size):
        some = order[at : at + size]
        with autocast(device):
            z = model(*batch_of(data, [(rows[i], forward) for i in some], device, shared))
        found[some] = z.float().log_softmax(1).cpu().numpy()
    return found


def examples(data, held, share, real):
    """Rows with a label, and rows that are probably neither; without what is held out in a fold."""
    use = ~data.measured & ((data.folds != held) if held is not None else True)
    chosen = use[data.kb]
    positives = np.nonzero(chosen & (data.asked == 1))[0]
    negatives = np.nonzero(chosen & (data.asked == 0) & (data.label != UNKNOWN))[0]
    if share < 1:
        keep = np.random.RandomState(3).rand(len(data.kb) * 100 + 1)
        group = data.kb.astype(np.int64) * 100_003 + data.a // 6
        positives = positives[keep[group[positives] % len(keep)] < share]
        negatives = negatives[keep[negatives] < share]
    read = positives[data.read[positives] == 1]
    companions = positives[np.char.startswith(data.names, "c-")[data.kb[positives]] & (data.read[positives] == 0)]
    return np.concatenate([positives] + [read] * (READ_TIMES - 1) + [companions] * (real - 1)), negatives


def fit(data, weights, job, device):
    torch.manual_seed(job["seed"])
    draw = np.random.RandomState(job["seed"])
    model = Judge(weights).to(device)
    frozen = job["frozen"]
    model.body.requires_grad_(False)
    for layer in model.body.layers[frozen:]:
        layer.requires_grad_(True)
    model.body.types.requires_grad_(job["shared"])
    trained = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(
        [
            {"params": [p for p in trained if p.ndim > 1], "weight_decay": 0.01},
            {"params": [p for p in trained if p.ndim <= 1], "weight_decay": 0.0},
        ],
        lr=job["rate"],
    )
    positives, negatives = examples(data, job["held"], job["share"], job["real"])
    each = min(len(negatives), int(NEGATIVES * len(positives)))
    steps = job["steps"] or job["epochs"] * ((len(positives) + each) // BATCH)
    class_weights = torch.tensor(CLASS_WEIGHTS, device=device)
    done, began, seen = 0, time.time(), 0.0
    while done < steps:
        rows = np.concatenate([positives, draw.choice(negatives, each, replace=False)])
        rows = rows[draw.permutation(len(rows))]
        batches = []
        for at in range(0, len(rows), BATCH * 32):
            some = rows[at : at + BATCH * 32]
            some = some[np.argsort([length(data, r) for r in some], kind="stable")]
            batches += [some[i : i + BATCH] for i in range(0, len(some) - BATCH + 1, BATCH)]
        model.train()
        for which in draw.permutation(len(batches)):
            if done == steps:
                break
            some = batches[which]
            pairs = [(r, f) for r, f in zip(some, draw.rand(len(some)) < WRITTEN_ORDER)]
            label = torch.from_numpy(data.label[some].astype(np.int64)).to(device)
            rate = job["rate"] * min(1, done / (0.1 * steps + 1)) * max(0.0, 1 - done / (steps + 1))
            for group in optimiser.param_groups:
                group["lr"] = rate
            with autocast(device):
                z = model(*batch_of(data, pairs, device, job["shared"]))
            z = z.float().log_softmax(1)
            known = label < NEITHER
            target = torch.where(known, label, torch.zeros_like(label))
            exact = -z.gather(1, target[:, None])[:, 0] * class_weights[target] - SMOOTHING * z.mean(1)
            loss = torch.where(known, exact, -torch.logsumexp(z[:, 2:], 1)).mean()
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimiser.step()
            done += 1
            if done % 100 == 0 or done == steps:
                seen = loss.item()
                if device.type == "cpu" or done == steps:
                    print(f"{job['name']}: step {done} of {steps}, loss {seen:.3f}, {time.time() - began:.0f} s, {len(positives)} pairs", file=sys.stderr, flush=True)
    return model


def log_odds(p):
    """Of same or overtaken, from log probabilities."""
    return np.logaddexp(p[:, 0], p[:, 1]) - np.logaddexp(p[:, 2], p[:, 3])


def cheap_order(scores):
    return np.argsort(-np.where(np.isnan(scores), -9, scores), kind="stable")


def first_rows(data, kb, most):
    """Rows of a KB that are read: the first n/2 by either cheap score, and what was planted."""
    rows = data.rows(kb)
    if data.names[kb].startswith("w-"):
        return rows[data.asked[rows] == 1][: most or None]
    half = most or data.sizes[kb] // 2
    wanted = np.zeros(len(rows), bool)
    wanted[cheap_order(data.own[rows])[:half]] = True
    wanted[cheap_order(data.all[rows])[:half]] = True
    wanted[data.asked[rows] == 1] |= not most
    return rows[wanted]


def ranked(data, kb, said, weight=OWN_WEIGHT):
    """Rows of a KB as they would be listed: the first n/2 read and ranked, all others behind them.

    said: log odds by row; None for the cheap score alone
    """
    rows = data.rows(kb)
    cheap = rows[cheap_order(data.own[rows])]
    if said is None:
        return cheap
    half = data.sizes[kb] // 2
    first = np.array([r for r in cheap[:half] if r in said], int)
    score = np.array([said[r] for r in first]) + weight * data.own[first]
    taken = set(first)
    return np.concatenate([first[np.argsort(-score, kind="stable")], [r for r in cheap if r not in taken]]).astype(int)


def counts(data, kb, order):
    """Of the first 10, 20, 50, n/10, n/2: rewrites, overtaken, look-alikes, others that were read and found good."""
    n = data.sizes[kb]
    return [[int((data.kind[order[:k]] == kind).sum()) for kind in (1, 2, 3, 4)] for k in (10, 20, 50, n // 10, n // 2)]


def table(title, data, kbs, said_of, weight=OWN_WEIGHT):
    """One line for each fold: means over its KBs."""
    for fold in sorted({data.folds[k] for k in kbs}):
        some = [k for k in kbs if data.folds[k] == fold]
        means = np.mean([counts(data, k, ranked(data, k, said_of(k), weight)) for k in some], 0)
        cells = [f"{r:.1f}+{o:.1f}{f'+{s:.1f}' if s else ''} ({x:.1f})" for r, o, x, s in means]
        name = "project" if fold < 0 else f"fold {fold}"
        print(f"{title:28s} {name:8s} n {int(data.sizes[some[0]]):5d} | " + " | ".join(cells), flush=True)


def classes(title, data, said):
    """How often the likeliest class is right of the pairs of writers that were held out."""
    right = np.zeros((4, 4), int)
    for name in data.names:
        if name.startswith("w-") and name + ".rows" in said:
            labels = data.label[said[name + ".rows"]]
            np.add.at(right, (labels, said[name + ".1"].argmax(1)), 1)
    if right.sum():
        shares = right / np.maximum(1, right.sum(1, keepdims=True))
        print(f"{title:28s} writers  right of " + ", ".join(f"{c} {100 * shares[i, i]:.0f} %" for i, c in enumerate(CLASSES)) + f"; look-alikes called same or overtaken {100 * (shares[3, 0] + shares[3, 1]):.1f} %", flush=True)


def measure(model, data, job, device, path):
    """Writes what a model says of what it was not trained on."""
    said = {}
    for kb in range(len(data.names)):
        if data.measured[kb] and data.folds[kb] in (-1, job["held"]) or job["held"] is not None and data.folds[kb] == job["held"] and data.names[kb].startswith("w-"):
            rows = first_rows(data, kb, job["measure"])
            said[data.names[kb] + ".rows"] = rows.astype(np.int32)
            for order in (True, False):
                said[f"{data.names[kb]}.{int(order)}"] = predict(model, data, rows, order, device, job["shared"]).astype(np.float16)
    np.savez_compressed(path, **said)


def run(data, weights, job, device, out):
    model = fit(data, weights, job, device)
    measure(model, data, job, device, out / f"said-{job['name']}.npz")
    trained = {n: p.detach().cpu().numpy().astype(np.float16) for n, p in model.named_parameters() if p.requires_grad}
    np.savez(out / f"weights-{job['name']}.npz", **trained)


def soup(data, weights, jobs, device, out, name):
    """The mean of the weights of several trainings, measured in the same way."""
    stored = [load_npz(out / f"weights-{job['name']}.npz") for job in jobs]
    model = Judge(weights).to(device)
    names = dict(model.named_parameters())
    means = {n: np.mean([s[n].astype(np.float32) for s in stored], 0) for n in stored[0]}
    for n, value in means.items():
        names[n].data.copy_(torch.from_numpy(value))
    measure(model, data, jobs[0], device, out / f"said-{name}.npz")
    np.savez(out / f"weights-{name}.npz", **{n: m.astype(np.float16) for n, m in means.items()})


DEFAULTS = dict(seeds=1, share=1.0, epochs=EPOCHS, rate=RATE, shared=True, real=1)


def jobs_of(plan):
    """A plan: entries like 3:folds or 0:final:seeds=3:share=0.5:epochs=6:rate=2e-4:shared=1, for layers frozen and what is trained (or the number of a fold)."""
    jobs = []
    for entry in plan.split(","):
        frozen, what, *rest = entry.split(":")
        job = dict(DEFAULTS)
        for name, value in (word.split("=") for word in rest):
            job[name] = type(DEFAULTS[name])(float(value))
        differing = "".join(f"-{name}{float(job[name]):g}" for name in list(DEFAULTS)[1:] if job[name] != DEFAULTS[name])
        tag = f"f{frozen}{differing}"
        for held in {"folds": range(FOLDS), "final": [None]}.get(what) or [int(what)]:
            for seed in range(job["seeds"]):
                name = f"{tag}-{'all' if held is None else held}-s{seed}"
                jobs.append(dict(job, name=name, tag=tag, frozen=int(frozen), held=held, seed=seed, steps=0, measure=0))
    return jobs


def work(taken, options, jobs, began):
    """Does jobs until none is left; taken: how many were begun, by all workers."""
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // options.workers))
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.use_deterministic_algorithms(True, warn_only=True)
    if device.type == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = True
    data = Data(options.pairs)
    weights = unpack(options.weights)
    while True:
        with taken.get_lock():
            job = jobs[taken.value] if taken.value < len(jobs) else None
            taken.value += 1
        if job is None:
            return
        if options.seconds and time.time() - began > options.seconds:
            print(f"train-judge: no time left for {job['name']}", file=sys.stderr, flush=True)
            continue
        run(data, weights, dict(job, steps=options.steps, measure=options.measure), device, Path(options.out))


def report(options, jobs):
    """Tables of all that was trained, and of the mean of the weights where there are several seeds."""
    jobs = [dict(job, measure=options.measure) for job in jobs]
    data = Data(options.pairs)
    out = Path(options.out)
    weights = unpack(options.weights)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print("rewrites+overtaken(+read and found good) (look-alikes) among the first 10 | 20 | 50 | n/10 | n/2; means of three KBs a fold", flush=True)
    measured = list(np.nonzero(data.measured)[0])
    table("cheap score", data, measured, lambda kb: None)
    tags = sorted({job["tag"] for job in jobs})
    for tag in tags:
        for held in [*range(FOLDS), None]:
            same = [j for j in jobs if j["tag"] == tag and j["held"] == held and (out / f"said-{j['name']}.npz").exists()]
            if not same:
                continue
            name = f"{tag}-{'all' if held is None else held}"
            if len(same) > 1:
                soup(data, weights, same, device, out, name + "-soup")
            kbs = [k for k in measured if data.folds[k] == held or data.folds[k] == -1]
            for run_name in [j["name"] for j in same] + ([name + "-soup"] if len(same) > 1 else []):
                said = load_npz(out / f"said-{run_name}.npz")
                get = lambda kb, o: log_odds(said[f"{data.names[kb]}.{o}"].astype(np.float32))
                by_row = lambda kb, odds: dict(zip(said[data.names[kb] + ".rows"], odds))
                classes(run_name, data, said)
                table(run_name + ", one order", data, kbs, lambda kb: by_row(kb, get(kb, 1)))
                if run_name == same[0]["name"] or run_name.endswith("soup"):
                    table(run_name + ", both", data, kbs, lambda kb: by_row(kb, (get(kb, 1) + get(kb, 0)) / 2))


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pairs", default="target/judge/pairs.npz")
    options.add_argument("--weights", nargs="+", default=["target/judge/layers.npz", "target/judge/words.npz"])
    options.add_argument("--out", default="target/judge/out")
    options.add_argument("--plan", default="3:folds:1,3:final:1", help=jobs_of.__doc__)
    options.add_argument("--workers", type=int, default=1)
    options.add_argument("--steps", type=int, default=0, help="so many steps only, to try it")
    options.add_argument("--measure", type=int, default=0, help="read so many pairs of each KB only, to try it")
    options.add_argument("--seconds", type=int, default=0, help="begin no training after so many")
    options.add_argument("--report", action="store_true", help="only the tables of what was trained")
    options = options.parse_args()
    began = time.time()
    Path(options.out).mkdir(parents=True, exist_ok=True)
    jobs = jobs_of(options.plan)
    if not options.report:
        context = torch.multiprocessing.get_context("spawn")
        taken = context.Value("i", 0)
        if options.workers == 1:
            work(taken, options, jobs, began)
        else:
            processes = [context.Process(target=work, args=(taken, options, jobs, began)) for _ in range(options.workers)]
            for process in processes:
                process.start()
            for process in processes:
                process.join()
    report(options, jobs)
    print(f"{time.time() - began:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
