#!/usr/bin/env bash
# Records a run of the built program into an AOT cache (JEP 483, 515), which halves its start. Called by the Maven build.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/lib/jdk.sh
source scripts/lib/jvm.sh

dist=$PWD/daemon/target/dist
work=$PWD/daemon/target/aot
java=$(find_jdk)/bin/java

run() { # JVM_OPTIONS... -- ARGUMENTS...; runs against a home of its own, and shows the output only of a failure
  local jvm=()
  while [ "$1" != -- ]; do jvm+=("$1"); shift; done
  shift
  env -i HOME="$work" PATH="$PATH" XDG_CACHE_HOME="$work/cache" TMPDIR="${TMPDIR:-/tmp}" \
    "$java" "${jvm_options[@]}" ${jvm[@]+"${jvm[@]}"} -jar "$dist/lib/helix-bg.jar" "$@" > "$work/log" 2>&1 || {
    cat "$work/log" >&2
    return 1
  }
}

rm -rf "$work" "$dist/helix-bg.aot"
mkdir -p "$work"
# The first run embeds the sample and has a golden model judge it. The second, recorded, finds all vectors in its cache: that is the
# run whose start matters. It asks the model again, so that the classes of the engine are recorded, too.
model=$PWD/llm/src/test/resources/golden/golden-q40.gguf
run -- one-shot --sample --model "$model"
rm "$work/cache/helix-bg/sample-kb/insights/answers.jsonl"
# Classes only, no profiles (JEP 515): one-shot starts no later without them, and kernels compiled with profiles that other
# users of the Vector API have left were a fifth slower, and boxed vectors for good in one of six runs.
run -XX:+UnlockDiagnosticVMOptions -XX:-AOTRecordTraining "-XX:AOTCacheOutput=$dist/helix-bg.aot" -- one-shot --sample --model "$model"
touch "$dist/built"
