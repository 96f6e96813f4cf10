"""Makes the two held-out knowledge bases (insight/src/judge/heldout.jsonl) as folders of notes, each with a file of the planted pairs for `bench findings`.

    scripts/judge/heldout.py COLLECTIONS OUT
    scripts/helix-bg bench findings --notes OUT/first/notes --truth OUT/first/truth.tsv

COLLECTIONS has the three public collections as OWNER/NAME, each at its commit below. The second KB has 510 notes: all notes with a rewrite or a newer
note, and those of the other notes whose paths have the smallest SHA-256.
"""

import hashlib
import json
import re
import shutil
import sys
from pathlib import Path

COMMITS = {
    "adam-dot-py/today-i-learned": "6a11cc8e7310952658118bb23d26d30e49078643",
    "cachedpotato/Obsidian-vault": "2ae2f5f1c75c0b1a960a45cf9a55d03cb29f32f8",
    "dvdmtw98/notes": "6e5dc965f3e51ea3f3eab05fe59f6ea8edc5ca6c",
}
TRUTHS = {"rewrite": "same", "newer": "overtaken", "lookalike": "lookalike"}


def digest(path):
    return hashlib.sha256(path.encode()).hexdigest()


def name(text):
    """Returns a file name made of the first words of a note, as people name their files."""
    return "log/" + " ".join(re.findall(r"[\w.'-]+", text)[:7]).strip(".") + ".md"


def make(kb, lines, collections, out):
    planted = {(x["collection"], x["path"]) for x in lines if "path" in x}
    files = []
    for collection in sorted({c for c, _ in planted}):
        folder = collections / collection
        paths = [str(p.relative_to(folder)) for p in folder.rglob("*.md")]
        files += [(collection, p) for p in paths]
    files.sort(key=lambda x: (x not in planted, digest(x[0].replace("/", "+") + "/" + x[1])))
    notes, truth = out / kb / "notes", []

    def write(path, text):
        (notes / path).parent.mkdir(parents=True, exist_ok=True)
        (notes / path).write_text(text + "\n", encoding="utf-8")
        return path

    for collection, path in files[: 510 if kb == "second" else len(files)]:
        (notes / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(collections / collection / path, notes / path)
    for line in lines:
        kind = next(k for k in TRUTHS if k in line)
        if "path" in line:
            to = write(str(Path(line["path"]).parent / f"n{digest(line['path'])[:6]}.md"), line[kind])
            truth.append((TRUTHS[kind], line["path"], to))
        else:
            truth.append((TRUTHS[kind], write(name(line["base"]), line["base"]), write(name(line[kind]), line[kind])))
    (out / kb / "truth.tsv").write_text("".join("\t".join(row) + "\n" for row in truth), encoding="utf-8")


def main():
    if len(sys.argv) != 3 or not Path(sys.argv[1]).is_dir():
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    collections, out = Path(sys.argv[1]), Path(sys.argv[2])
    for collection, commit in COMMITS.items():
        if not (collections / collection).is_dir():
            sys.exit(f"heldout: {collections / collection} does not exist; clone https://github.com/{collection} at commit {commit}")
    data = Path(__file__).parents[2] / "insight/src/judge/heldout.jsonl"
    lines = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines()]
    for kb in ("first", "second"):
        make(kb, [line for line in lines if line["kb"] == kb], collections, out)


main()
