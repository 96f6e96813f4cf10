"""Makes the KBs on which the judge of notes is trained and measured, lets helix-bg list their pairs, and packs the pairs as token ids.

A KB for training has the notes of one writer, or a public collection with its companions: notes that were written for some of its notes. There are
two kinds of KBs for measurement. One has the public collections of one fold, and for each note with companions one of them: a rewrite, a newer note
or a look-alike. The kind rotates, so that each fold has three such KBs. The other has one collection of which people have read pairs, and on which
nothing is trained.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

from wordpiece import WordPiece

FOLDS = 4
ROOM = 220  # maximum number of tokens of each text of a pair
CHARACTERS = 32 * ROOM  # maximum number of characters of a text that are converted to tokens
SAME, OVERTAKEN, RELATED, DIFFERENT, NEITHER, UNKNOWN = range(6)  # NEITHER same nor overtaken
LABELS = {"same": SAME, "overtaken": OVERTAKEN, "related": RELATED, "different": DIFFERENT, "neither": NEITHER, "unsure": UNKNOWN}
KINDS = ["", "rewrite", "overtaken", "lookalike", "same"]  # kind of a planted pair; "same": a pair that a person has read and called same or overtaken
PARTS = ["base", "rewrite", "newer", "lookalike", "related", "partial"]
COMPANIONS = ["rewrite", "newer", "lookalike"]
SHORTEST, LONGEST = 60, 12_000  # characters of a note


class Kb:
    def __init__(self, name, fold, measures):
        self.name, self.fold, self.measures = name, fold, measures
        self.notes, self.labels, self.kinds, self.read = [], {}, {}, set()

    def add(self, topic, text):
        self.notes.append((topic, text))
        return len(self.notes) - 1

    def label(self, a, b, label, kind=""):
        """Labels a pair; a is the older note."""
        self.labels[a, b] = label
        self.kinds[a, b] = KINDS.index(kind)


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def collections(data):
    rows = [line.split("\t") for line in (data / "collections.tsv").read_text().splitlines() if line and line[0] != "#"]
    return [dict(zip(["name", "commit", "licence", "fold", "role", "paths"], row)) for row in rows]


def clone_of(folder, name):
    owner, repository = name.split("/")
    for place in (folder / owner / repository, folder / f"{owner}+{repository}" / "repo", folder / f"{owner}+{repository}"):
        if place.is_dir():
            return place
    sys.exit(f"train-judge: no clone of {name} in {folder}; fetch it: git clone https://github.com/{name} {folder / owner / repository}")


def read_collection(folder, collection):
    """Returns topic and text of each note, by path."""
    clone = clone_of(folder, collection["name"])
    git = ["git", "-C", clone]
    listed = subprocess.run(git + ["ls-tree", "-r", "-z", collection["commit"]], capture_output=True)
    if listed.returncode:
        sys.exit(f"train-judge: {clone} has no commit {collection['commit']} of {collection['name']}: git -C {clone} fetch origin {collection['commit']}")
    files = {}
    for row in listed.stdout.decode("utf-8", "replace").split("\0"):
        about, _, path = row.partition("\t")
        if path.lower().endswith((".md", ".markdown")) and about.startswith("100") and re.search(collection["paths"], path):
            files[path] = about.split()[2]
    contents = subprocess.run(git + ["cat-file", "--batch"], input="\n".join(files.values()).encode(), capture_output=True, check=True).stdout
    notes, at = {}, 0
    for path in files:
        end = contents.index(b"\n", at)
        size = int(contents[at:end].split()[2])
        text = contents[end + 1 : end + 1 + size].decode("utf-8", "replace").replace("\r\n", "\n")
        at = end + size + 2
        text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S).strip()
        stem = Path(path).stem.lower()
        if not SHORTEST <= len(text) <= LONGEST or stem in ("readme", "license", "contributing", "index", "_index", "01_summary", "code_of_conduct", "template"):
            continue
        topic = Path(path).parent.name or collection["name"].split("/")[1]
        notes[path] = (topic[:60], text)
    return notes


def of_writers(data):
    kbs = []
    for at, path in enumerate(sorted((data / "clusters").glob("*.jsonl"))):
        clusters = lines(path)
        kb = Kb("w-" + path.stem, at % FOLDS, False)
        for cluster in clusters:
            place = {part: kb.add(cluster["topic"], cluster[part]) for part in PARTS}
            for i, one in enumerate(PARTS):
                for other in PARTS[i + 1 :]:
                    both = {one, other}
                    label = (
                        SAME if both == {"base", "rewrite"}
                        else OVERTAKEN if both in ({"base", "newer"}, {"rewrite", "newer"})
                        else DIFFERENT if "lookalike" in both
                        else RELATED
                    )
                    kb.label(place[one], place[other], label)
        kbs.append(kb)
    return kbs


def plant(kb, at, companion, which):
    """Adds companions of the note with the index `at`, and labels their pairs."""
    place = {kind: kb.add(kb.notes[at][0], companion[kind]) for kind in which}
    for kind, to in place.items():
        kb.label(at, to, *{"rewrite": (SAME, "rewrite"), "newer": (OVERTAKEN, "overtaken"), "lookalike": (DIFFERENT, "lookalike")}[kind])
    for i, one in enumerate(which):
        for other in which[i + 1 :]:
            kb.label(place[one], place[other], OVERTAKEN if other == "newer" else DIFFERENT)


def of_collections(data, folder):
    described = collections(data)
    read = {c["name"]: read_collection(folder, c) for c in described}
    companions = lines(data / "companions.jsonl")
    judged = lines(data / "pairs.jsonl") if (data / "pairs.jsonl").exists() else []

    def note(kb, places, name):
        for path, (topic, text) in sorted(read[name].items()):
            places[name, path] = kb.add(topic, text)
        for pair in judged:
            if pair["collection"] == name:
                a, b = places.get((name, pair["a"])), places.get((name, pair["b"]))
                if a is None or b is None:
                    sys.exit(f"train-judge: pairs.jsonl names {pair['a']} or {pair['b']}, which {name} does not have")
                good = pair["truth"] in ("same", "overtaken")
                kb.read.add((min(a, b), max(a, b)))
                kb.label(min(a, b), max(a, b), LABELS[pair["truth"]], "same" if good else "")

    kbs = []
    for c in described:
        unseen = c["role"] == "read"
        kb, places = Kb(("r-" if unseen else "c-") + c["name"].replace("/", "+"), -1 if c["fold"] == "-" else int(c["fold"]), unseen), {}
        note(kb, places, c["name"])
        for companion in companions:
            if companion["collection"] == c["name"]:
                plant(kb, places[c["name"], companion["path"]], companion, COMPANIONS)
        if c["role"] != "measure":
            kbs.append(kb)
    for fold in range(FOLDS):
        for turn in range(len(COMPANIONS)):
            kb, places = Kb(f"m-{fold}-{turn}", fold, True), {}
            for c in described:
                if c["fold"] == str(fold) and c["role"] != "read":
                    note(kb, places, c["name"])
            held = [x for x in companions if (x["collection"], x["path"]) in places]
            for at, companion in enumerate(held):
                plant(kb, places[companion["collection"], companion["path"]], companion, [COMPANIONS[(at + turn) % len(COMPANIONS)]])
            kbs.append(kb)
    return kbs


def of_project(folder):
    """Returns the KB of the project's own benchmark, which has planted pairs. It is used for measurement only."""
    notes = []
    for path in sorted(folder.glob("part-*.md")):
        topic = when = None
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line.startswith("## "):
                topic, when = line[3:].strip(), None
            elif line.startswith("- ") and topic:
                when = line[2:18]
                notes.append([when, topic, []])
            elif when:
                notes[-1][2].append(line[2:] if line.startswith("  ") else line)
    notes.sort(key=lambda n: n[0])
    kb, places = Kb("m-project", -1, True), {}
    for when, topic, body in notes:
        text = "\n".join(line for line in body if not re.match(r"\[(tags|source|confidence|links|modified): ", line)).strip()
        places[f"{topic}@{when}"] = kb.add(topic, text)
    for row in (folder / "truth.tsv").read_text(encoding="utf-8").splitlines():
        kind, *rest = row.split("\t")
        if kind in ("rewrite", "overtaken", "lookalike"):
            a, b = sorted(places[x] for x in rest[:2])
            kb.label(a, b, {"rewrite": SAME, "overtaken": OVERTAKEN, "lookalike": DIFFERENT}[kind], kind)
    return kb


def list_pairs(kbs, work, java):
    """Lets helix-bg list the pairs of each KB.

    Each row has the indexes a and b, the score by vectors and words, the negated place in helix-bg's list (0, -1, …), and the offset in each text at which a judge begins to read.
    """
    lists = work / "lists"
    lists.mkdir(parents=True, exist_ok=True)
    for old in lists.glob("*.*"):
        old.unlink()  # the file of vectors, whose name has no dot, is kept
    for kb in kbs:
        with open(lists / (kb.name + ".notes"), "w", encoding="utf-8") as out:
            for topic, text in kb.notes:
                # A line that reads like metadata of helix would be taken out of the text.
                text = re.sub(r"(?m)^(?=\[(tags|source|confidence|links|modified): )", " ", text)
                out.write(json.dumps({"topic": topic, "text": text}) + "\n")
        with open(lists / (kb.name + ".asked"), "w") as out:
            out.writelines(f"{a}\t{b}\n" for a, b in kb.labels)
    subprocess.run(java + ["dev.helixbg.insight.findings.PairLists", str(lists), "2"], check=True)
    found = {}
    for kb in kbs:
        rows = [line.split("\t") for line in (lists / (kb.name + ".pairs")).read_text().splitlines()]
        number = lambda text: float(text) if text else np.nan
        found[kb.name] = [(int(a), int(b), number(own), number(all_), int(x), int(y)) for a, b, own, all_, x, y in rows]
    return found


def pack(kbs, listed, tokenizer, target):
    """Writes all pairs, with the token ids that a judge reads of each text."""
    sides, tokens, starts = {}, [], [0]
    cut = {}

    def side(text, start):
        key = (text, start)
        if key not in sides:
            ids = tokenizer.ids(text[start : start + CHARACTERS])[:ROOM]
            sides[key] = len(starts) - 1
            tokens.extend(ids)
            starts.append(len(tokens))
        return sides[key]

    columns = {name: [] for name in ("kb", "a", "b", "side_a", "side_b", "own", "all", "label", "kind", "asked", "read")}
    for number, kb in enumerate(kbs):
        for a, b, own, all_, start_a, start_b in listed[kb.name]:
            label, kind = kb.labels.get((a, b)), kb.kinds.get((a, b), 0)
            if label is None:
                label = UNKNOWN if kb.measures else NEITHER if kb.name.startswith("c-") else DIFFERENT
            asked, read = int(kb.labels.get((a, b), NEITHER) < NEITHER), (a, b) in kb.read
            values = (number, a, b, side(kb.notes[a][1], start_a), side(kb.notes[b][1], start_b), own, all_, label, kind, asked, read)
            for name, value in zip(columns, values):
                columns[name].append(value)
    np.savez_compressed(
        target,
        tokens=np.array(tokens, np.uint16),
        starts=np.array(starts, np.int32),
        names=np.array([kb.name for kb in kbs]),
        folds=np.array([kb.fold for kb in kbs], np.int8),
        sizes=np.array([len(kb.notes) for kb in kbs], np.int32),
        kb=np.array(columns["kb"], np.int16),
        **{name: np.array(columns[name], np.int32) for name in ("a", "b", "side_a", "side_b")},
        **{name: np.array(columns[name], np.float32) for name in ("own", "all")},
        **{name: np.array(columns[name], np.int8) for name in ("label", "kind", "asked", "read")},
    )


def prepare(data, folder, project, work, definition, java):
    kbs = of_writers(data) + of_collections(data, folder) + [of_project(project)]
    listed = list_pairs(kbs, work, java)
    pack(kbs, listed, WordPiece(definition), work / "pairs.npz")
    return kbs, listed
