"""Trains the judge of notes: for each fold of writers and collections a model without this fold, and a model with all folds. Prints tables of their results.

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

from corpus import FOLDS, NEITHER, OVERTAKEN, ROOM, UNKNOWN
from measure import best_first, classes, log_odds, mix, real, table
from minilm import CLASSES, Judge, load_npz
from weights_file import unpack
from wordpiece import CLS, SEP

BATCH = 48
RATE = 1e-4
EPOCHS = 4
NEGATIVES = 1.2  # probably unrelated pairs in an epoch, for each pair with a label
READ_TIMES = 2  # repetitions of a pair of real notes that a person has read
GOOD_TIMES = 6  # repetitions of such a pair if it is the same or overtaken
WRITTEN_ORDER = 0.75  # share of pairs shown in the order in which they were written
CLASS_WEIGHTS = [1.3, 1.0, 0.8, 0.8]
SMOOTHING = 0.05


class Data:
    def __init__(self, path):
        stored = load_npz(path)
        self.__dict__.update(stored)
        self._marks = {}
        self.names = [str(n) for n in stored["names"]]
        self.real = np.array([n.startswith("r-") for n in self.names])  # collections without planted pairs, of which people have read pairs
        self.measured = self.real | np.array([n.startswith("m-") for n in self.names])

    def side(self, number):
        return self.tokens[self.starts[number] : self.starts[number + 1]][:ROOM]

    def texts(self, row):
        return self.side(self.side_a[row]), self.side(self.side_b[row])

    def marks(self, row):
        if row not in self._marks:
            self._marks[row] = marks_of(*self.texts(row))
        return self._marks[row]

    def rows(self, kb):
        return np.nonzero(self.kb == kb)[0]


def marks_of(one, other):
    """Returns an array for each text: 2 for each token that the other text also has, else 0."""
    return tuple((2 * np.isin(x, y)).astype(np.int8) for x, y in ((one, other), (other, one)))


def batch_of(data, pairs, device):
    """pairs: rows, each with a flag whether the older text comes first"""
    sequences, marks = [], []
    for row, forward in pairs:
        sequences.append(data.texts(row)[:: 1 if forward else -1])
        marks.append(data.marks(row)[:: 1 if forward else -1])
    return tensors(sequences, marks, device)


def tensors(sequences, marks, device):
    """Returns ids, lengths and types of pairs of texts, as the program computes them."""
    lengths = np.array([len(a) + len(b) + 3 for a, b in sequences])
    columns = -(-lengths.max() // 8) * 8
    ids, types = np.zeros((len(sequences), columns), np.int64), np.zeros((len(sequences), columns), np.int64)
    for i, (a, b) in enumerate(sequences):
        ids[i, 0], ids[i, 1 : len(a) + 1], ids[i, len(a) + 1] = CLS, a, SEP
        ids[i, len(a) + 2 : lengths[i] - 1], ids[i, lengths[i] - 1] = b, SEP
        types[i, len(a) + 2 : lengths[i]] = 1
        types[i, 1 : len(a) + 1] += marks[i][0]
        types[i, len(a) + 2 : lengths[i] - 1] += marks[i][1]
    move = lambda x: torch.from_numpy(x).to(device, non_blocking=True)
    return move(ids), move(lengths), move(types)


def length(data, row):
    return data.starts[data.side_a[row] + 1] - data.starts[data.side_a[row]] + data.starts[data.side_b[row] + 1] - data.starts[data.side_b[row]]


def autocast(device):
    return torch.autocast("cuda", dtype=torch.bfloat16) if device.type == "cuda" else contextlib.nullcontext()


@torch.no_grad()
def predict(model, data, rows, device):
    """Returns the log probabilities of the four classes, with the older text first. Computes equal pairs of texts only once."""
    model.eval()
    _, once, place = np.unique(np.column_stack([data.side_a[rows], data.side_b[rows]]), axis=0, return_index=True, return_inverse=True)
    rows = rows[once]
    found = np.zeros((len(rows), 4), np.float32)
    order = np.argsort([length(data, r) for r in rows], kind="stable")
    size = 128 if device.type == "cuda" else 8
    for at in range(0, len(order), size):
        some = order[at : at + size]
        with autocast(device):
            z = model(*batch_of(data, [(rows[i], True) for i in some], device))
        found[some] = z.float().log_softmax(1).cpu().numpy()
    return found[place.reshape(-1)]


def examples(data, held, share):
    """Returns the rows with a label, and the rows that are probably neither same nor overtaken, without the rows of the held-out fold."""
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
    good = read[data.label[read] <= OVERTAKEN]
    return np.concatenate([positives] + [read] * (READ_TIMES - 1) + [good] * (GOOD_TIMES - READ_TIMES)), negatives


def begin(weights, frozen, device):
    """Returns a new model, its parameters that are trained, and the optimiser. frozen: number of layers that are not trained"""
    model = Judge(weights).to(device)
    model.body.requires_grad_(False)
    for layer in model.body.layers[frozen:]:
        layer.requires_grad_(True)
    model.body.types.requires_grad_(True)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(
        [
            {"params": [p for p in trained if p.ndim > 1], "weight_decay": 0.01},
            {"params": [p for p in trained if p.ndim <= 1], "weight_decay": 0.0},
        ],
        lr=RATE,
        **({"fused": True} if device.type == "cuda" else {}),
    )
    return model, trained, optimiser


def batches_of(rows, length, size):
    """Returns batches of rows with similar lengths. Apart from that, the rows keep their order."""
    batches = []
    for at in range(0, len(rows), size * 32):
        some = rows[at : at + size * 32]
        some = [some[i] for i in np.argsort([length(row) for row in some], kind="stable")]
        batches += [some[i : i + size] for i in range(0, len(some) - size + 1, size)]
    return batches


def step(model, trained, optimiser, batch, label, progress):
    """Does one training step and returns the loss. progress: number of steps done, and of all steps"""
    done, steps = progress
    for group in optimiser.param_groups:
        group["lr"] = RATE * min(1, done / (0.1 * steps + 1)) * max(0.0, 1 - done / (steps + 1))
    with autocast(label.device):
        z = model(*batch)
    z = z.float().log_softmax(1)
    known = label < NEITHER
    target = torch.where(known, label, torch.zeros_like(label))
    class_weights = torch.tensor(CLASS_WEIGHTS, device=label.device)
    exact = -z.gather(1, target[:, None])[:, 0] * class_weights[target] - SMOOTHING * z.mean(1)
    loss = torch.where(known, exact, -torch.logsumexp(z[:, 2:], 1)).mean()
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(trained, 1.0)
    optimiser.step()
    return loss


def fit(data, weights, job, device):
    torch.manual_seed(job["seed"])
    draw = np.random.RandomState(job["seed"])
    model, trained, optimiser = begin(weights, job["frozen"], device)
    positives, negatives = examples(data, job["held"], job["share"])
    each = min(len(negatives), int(NEGATIVES * len(positives)))
    steps = job["steps"] or job["epochs"] * ((len(positives) + each) // BATCH)
    done, began, seen = 0, time.time(), 0.0
    while done < steps:
        rows = np.concatenate([positives, draw.choice(negatives, each, replace=False)])
        rows = rows[draw.permutation(len(rows))]
        batches = batches_of(rows, lambda row: length(data, row), BATCH)
        model.train()
        for which in draw.permutation(len(batches)):
            if done == steps:
                break
            some = batches[which]
            pairs = [(r, f) for r, f in zip(some, draw.rand(len(some)) < WRITTEN_ORDER)]
            label = torch.from_numpy(data.label[some].astype(np.int64)).to(device)
            loss = step(model, trained, optimiser, batch_of(data, pairs, device), label, (done, steps))
            done += 1
            if done % 100 == 0 or done == steps:
                seen = loss.item()
                if device.type == "cpu" or done == steps:
                    print(f"{job['name']}: step {done} of {steps}, loss {seen:.3f}, {time.time() - began:.0f} s, {len(positives)} pairs", file=sys.stderr, flush=True)
    return model


def first_rows(data, kb, most):
    """Returns the rows of a KB that are measured: the first n/2 by the score of vectors and words, the first n/2 of helix-bg's list, and the planted pairs."""
    rows = data.rows(kb)
    if data.names[kb].startswith("w-"):
        return rows[data.asked[rows] == 1][: most or None]
    half = most or data.sizes[kb] // 2
    wanted = [best_first(rows, data.own)[:half], best_first(rows, data.all)[:half], [] if most else rows[data.asked[rows] == 1]]
    return np.unique(np.concatenate(wanted)).astype(int)


def measure(model, data, job, device, path):
    """Writes the log probabilities of a model for pairs on which it was not trained."""
    names = [k for k in range(len(data.names)) if data.measured[k] and data.folds[k] in (-1, job["held"])]
    names += [k for k in range(len(data.names)) if job["held"] is not None and data.folds[k] == job["held"] and data.names[k].startswith("w-")]
    rows = {k: first_rows(data, k, job["measure"]) for k in names}
    said = {data.names[k] + ".rows": rows[k].astype(np.int32) for k in names}
    found = predict(model, data, np.concatenate(list(rows.values())), device).astype(np.float16)
    parts = np.split(found, np.cumsum([len(r) for r in rows.values()])[:-1])
    said.update((data.names[k], part) for k, part in zip(names, parts))
    np.savez_compressed(path, **said)


def run(data, weights, job, device, out):
    model = fit(data, weights, job, device)
    measure(model, data, job, device, out / f"said-{job['name']}.npz")
    trained = {n: p.detach().cpu().numpy().astype(np.float16) for n, p in model.named_parameters() if p.requires_grad}
    np.savez(out / f"weights-{job['name']}.npz", **trained)


DEFAULTS = dict(seeds=1, share=1.0, epochs=EPOCHS)


def jobs_of(plan):
    """Parses the plan of trainings: entries such as 2:folds or 0:final:seeds=3:share=0.5:epochs=6, with commas between them. An entry begins with the number of layers that are not trained, then names the models to train: folds, final or the number of a fold."""
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
    """Does jobs until none is left. taken: number of jobs that all workers have begun"""
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // options.workers))
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.use_deterministic_algorithms(True)
    if hasattr(torch.utils, "deterministic"):
        torch.utils.deterministic.fill_uninitialized_memory = False
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
            print(f"train-judge: there is no time left to train {job['name']}", file=sys.stderr, flush=True)
            continue
        run(data, weights, dict(job, steps=options.steps, measure=options.measure), device, Path(options.out))


def report(options, jobs):
    """Prints tables of the results of all trained models."""
    jobs = [dict(job, measure=options.measure) for job in jobs]
    data = Data(options.pairs)
    out = Path(options.out)
    print("rewrites+overtaken(+read and found good) (look-alikes) among the first 10 | 20 | 50 | n/10 | n/2; means of three KBs a fold | of the notes drawn again", flush=True)
    measured = list(np.nonzero(data.measured & ~data.real)[0])
    real("cheap score", data, np.nonzero(data.real)[0], lambda kb: None)
    table("cheap score", data, measured, lambda kb: None)
    for tag in sorted({job["tag"] for job in jobs}):
        folds = {}
        for held in [*range(FOLDS), None]:
            same = [j for j in jobs if j["tag"] == tag and j["held"] == held and (out / f"said-{j['name']}.npz").exists()]
            kbs = [k for k in measured if data.folds[k] == (-1 if held is None else held)]
            for job in same:
                said = load_npz(out / f"said-{job['name']}.npz")
                classes(job["name"], data, said, CLASSES)
                read = [k for k in np.nonzero(data.real)[0] if data.folds[k] == held]
                by_row = {k: dict(zip(said[data.names[k] + ".rows"], log_odds(said[data.names[k]].astype(np.float64)))) for k in kbs + read}
                real(job["name"], data, read, by_row.get)
                table(job["name"], data, kbs, by_row.get)
                if job["seed"] == 0:
                    folds.update(by_row)
        print(tag)
        mix(data, folds.get)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pairs", default="target/judge/pairs.npz")
    options.add_argument("--weights", nargs="+", default=["target/judge/layers.npz", "target/judge/words.npz"])
    options.add_argument("--out", default="target/judge/out")
    options.add_argument("--plan", default="2:folds,2:final", help=jobs_of.__doc__)
    options.add_argument("--workers", type=int, default=1)
    options.add_argument("--steps", type=int, default=0, help="run only this number of training steps, for a trial; 0: all steps")
    options.add_argument("--measure", type=int, default=0, help="read only this number of pairs of each KB, for a trial; 0: all pairs")
    options.add_argument("--seconds", type=int, default=0, help="seconds after which no new training begins; 0: no limit")
    options.add_argument("--report", choices=["too", "only", "not"], default="too", help="tables on the trained models: too: print them after the training; only: train nothing; not: print none")
    options = options.parse_args()
    began = time.time()
    Path(options.out).mkdir(parents=True, exist_ok=True)
    jobs = jobs_of(options.plan)
    if options.report != "only":
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
    if options.report != "not":
        report(options, jobs)
    print(f"{time.time() - began:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
