"""Trains the judge of facts. It has the form of the judge of notes and begins with the same model, but is trained on short texts.

It learns from pairs in public memory files, which people have judged, and from clusters of facts that were written for it. A cluster has a fact
(base), the same fact in other words (same1, same2), a newer fact that overtakes it, one that contradicts it, two that look alike, and a related one.
All clusters of a project belong to one invented memory file. helix-bg would also list the nearest texts of other clusters as pairs, so each text is
paired with the ten nearest of these texts, and with five others.
"""

import argparse
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from corpus import DIFFERENT, NEITHER, OVERTAKEN, RELATED, ROOM, SAME, lines
from minilm import MiniLm
from train import batches_of, begin, marks_of, step, tensors
from weights_file import unpack
from wordpiece import CLS, SEP, WordPiece

DATA = Path(__file__).parents[2] / "insight/src/judge"
SAID = ["base", "same1", "same2"]
PARTS = SAID + ["newer", "contra", "lookalike1", "lookalike2", "related"]
OF_NOTES = {"base": "base", "rewrite": "same1", "newer": "newer", "lookalike": "lookalike1", "related": "related"}
BATCH = 128
STEPS_FOR_EACH = 2.5  # number of times that each pair is trained on
REAL_TIMES, GOOD_TIMES = 3, 6  # repetitions of a real pair, and of a real pair that is the same or overtaken
WORKERS = 2  # processes that make batches
NEGATIVES = 1.5  # pairs of different clusters in an epoch, for each pair with a label
NEAREST, OTHERS, COPY = 10, 5, 0.86  # number of nearest and of other texts with which a text is paired; texts with a greater cosine could be the same fact
OVERTAKEN_TURNED = 0.25  # share of overtaken pairs that are shown with the newer text first
DATED = 0.12  # share of texts before which a date is put
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
DATES = [f"({y}-{m:02d}-{d:02d})" for y in (2024, 2025, 2026) for m in range(1, 13) for d in (3, 11, 19, 27)] + [f"[{m} {d}]" for m in MONTHS for d in (2, 9, 23)]


def clusters_of(data):
    """Returns the clusters of each project. Of clusters of notes, the long text that contains a fact among others is left out."""
    projects = {}
    for path in sorted((data / "facts").glob("*.jsonl")):
        for cluster in lines(path):
            projects.setdefault((path.stem, cluster["project"]), []).append({part: cluster[part] for part in PARTS if cluster[part]})
    for path in sorted((data / "clusters").glob("*.jsonl")):
        for cluster in lines(path):
            projects.setdefault((path, cluster["topic"]), []).append({to: cluster[part] for part, to in OF_NOTES.items()})
    return list(projects.values())


def texts_of(data):
    return [text for project in clusters_of(data) for cluster in project for text in cluster.values()] + [" ".join(DATES)]


def label(one, other):
    """Returns the label of two parts of a cluster, given in the order of PARTS; None if the pair is not used for training."""
    if one in SAID:
        return SAME if other in SAID else OVERTAKEN if other in ("newer", "contra") else RELATED if other == "related" else DIFFERENT
    if "contra" in (one, other):
        return None
    return DIFFERENT if one == "newer" and other != "related" else NEITHER


class Pairs:
    def __init__(self, projects, real, base, tokenizer, device):
        """real: the two texts and the label of each pair from public files"""
        texts, self.labelled, groups = {}, [], []
        for project in projects:
            groups.append([])
            for number, cluster in enumerate(project):
                place = {part: texts.setdefault(text, len(texts)) for part, text in cluster.items()}
                groups[-1] += [(number, at) for at in place.values()]
                for i, one in enumerate(place):
                    for other in list(place)[i + 1 :]:
                        if label(one, other) is not None:
                            self.labelled.append((place[one], place[other], label(one, other), other == "newer"))
        written = len(texts)
        for a, b, said in real:
            pair = tuple(texts.setdefault(text, len(texts)) for text in (a, b))
            self.labelled += [(*pair, said, False)] * (GOOD_TIMES if said <= OVERTAKEN else REAL_TIMES)
        self.ids = [np.array(tokenizer.ids(text)[:ROOM], np.int64) for text in texts]
        self.dates = [np.array(tokenizer.ids(date), np.int64) for date in DATES]
        self.others = self.near(groups, vectors(self.ids[:written], base, device))

    def near(self, groups, found):
        draw, pairs = np.random.RandomState(5), set()
        for group in groups:
            number, at = (np.array(column) for column in zip(*group))
            cosine = found[at] @ found[at].T
            cosine[number[:, None] == number[None, :]] = -9
            for i in range(len(at)):
                for j in [*np.argsort(-cosine[i])[:NEAREST], *draw.randint(0, len(at), OTHERS)]:
                    if number[i] != number[j] and cosine[i, j] < COPY:
                        pairs.add((min(at[i], at[j]), max(at[i], at[j]), NEITHER, False))
        return sorted(pairs)

    def batches(self, worker, seed):
        """Yields the batches of one worker, without end."""
        torch.set_num_threads(1)
        shuffled, turned = random.Random(seed), random.Random(7 * seed + worker)
        while True:
            examples = self.labelled + shuffled.sample(self.others, self.each())
            shuffled.shuffle(examples)
            batches = batches_of(examples, lambda x: len(self.ids[x[0]]) + len(self.ids[x[1]]), BATCH)
            shuffled.shuffle(batches)
            for some in batches[worker::WORKERS]:
                yield self.batch(some, turned, torch.device("cpu")), torch.tensor([x[2] for x in some])

    def each(self):
        return min(len(self.others), int(NEGATIVES * len(self.labelled)))

    def batch(self, examples, draw, device):
        sequences = []
        for a, b, _, ordered in examples:
            turned = draw.random() < (OVERTAKEN_TURNED if ordered else 0.5)
            sequences.append([self.dated(text, draw) for text in ((b, a) if turned else (a, b))])
        return tensors(sequences, [marks_of(*both) for both in sequences], device)

    def dated(self, text, draw):
        ids = self.ids[text]
        return np.concatenate([draw.choice(self.dates), ids])[:ROOM] if draw.random() < DATED else ids


@torch.no_grad()
def vectors(texts, base, device):
    """Returns the vectors that the bundled model computes for the texts."""
    body, found = MiniLm(base).to(device).eval(), np.zeros((len(texts), 384), np.float32)
    order = np.argsort([len(x) for x in texts], kind="stable")
    for at in range(0, len(order), 256):
        some = order[at : at + 256]
        lengths = np.array([len(texts[i]) + 2 for i in some])
        ids = np.zeros((len(some), lengths.max()), np.int64)
        for row, i in enumerate(some):
            ids[row, : lengths[row]] = [CLS, *texts[i], SEP]
        states = body(torch.from_numpy(ids).to(device), torch.from_numpy(lengths).to(device)).float()
        mask = (torch.arange(ids.shape[1]) < torch.from_numpy(lengths)[:, None]).float()[:, :, None].to(device)
        found[some] = F.normalize((states * mask).sum(1) / mask.sum(1), dim=1).cpu().numpy()
    return found


class Batches(torch.utils.data.IterableDataset):
    def __init__(self, pairs, seed):
        self.pairs, self.seed = pairs, seed

    def __iter__(self):
        return self.pairs.batches(torch.utils.data.get_worker_info().id, self.seed)


def train(pairs, base, options, device):
    torch.manual_seed(options.seed)
    model, trained, optimiser = begin(base, options.frozen, device)
    steps, began = int(STEPS_FOR_EACH * ((len(pairs.labelled) + pairs.each()) // BATCH)), time.time()
    model.train()
    loader = torch.utils.data.DataLoader(Batches(pairs, options.seed), batch_size=None, num_workers=WORKERS, prefetch_factor=8)
    for done, (batch, labels) in zip(range(steps), loader):
        loss = step(model, trained, optimiser, [x.to(device) for x in batch], labels.to(device), (done, steps))
        if (done + 1) % 500 == 0 or done + 1 == steps:
            print(f"step {done + 1} of {steps}, loss {loss.item():.3f}, {time.time() - began:.0f} s", flush=True)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", default="target/judge", type=Path, help="folder with the files that prepare-facts has written")
    parser.add_argument("--frozen", type=int, default=0, help="number of layers that are not trained")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    base = unpack([options.folder / "layers.npz", options.folder / "words.npz"])
    tokenizer = WordPiece((options.folder / "tokenizer.json").read_bytes())
    real = json.loads((options.folder / "real.json").read_text(encoding="utf-8"))
    pairs = Pairs(clusters_of(DATA), real, base, tokenizer, device)
    print(f"{len(pairs.labelled)} pairs with a label, {len(pairs.others)} others", flush=True)
    model = train(pairs, base, options, device)
    trained = {n: p.detach().cpu().numpy().astype(np.float16) for n, p in model.named_parameters() if p.requires_grad}
    np.savez(options.folder / "facts.npz", **trained)


if __name__ == "__main__":
    main()
