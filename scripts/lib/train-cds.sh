#!/usr/bin/env bash
# Records which classes runs of the built program load, and writes them to a CDS archive, which halves its start. Called by the Maven build.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/lib/jdk.sh

dist=$PWD/daemon/target/dist
work=$PWD/daemon/target/cds
java=$(find_jdk)/bin/java

run() { # JVM_OPTIONS... -- ARGUMENTS...; runs against a home of its own, and shows the output only of a failure
  local jvm=()
  while [ "$1" != -- ]; do jvm+=("$1"); shift; done
  shift
  env -i HOME="$work" PATH="$PATH" XDG_CACHE_HOME="$work/cache" TMPDIR="${TMPDIR:-/tmp}" \
    "$java" @scripts/lib/jvm.options @scripts/lib/tiered.options ${jvm[@]+"${jvm[@]}"} -jar "$dist/lib/helix-bg.jar" "$@" > "$work/log" 2>&1 || {
    cat "$work/log" >&2
    return 1
  }
}

rm -rf "$work" "$dist/helix-bg.jsa"
mkdir -p "$work"
# The first run embeds the sample and has a golden model judge it. The second, recorded, finds all vectors in its cache: that is the
# run whose start matters. It asks the model again, of the types of Q4_K_M files, so that the classes of the engine are recorded, too.
model=$PWD/llm/src/test/resources/golden/golden-q4km.gguf
run -- one-shot --sample --model "$model"
rm "$work/cache/helix-bg/sample-kb/insights/answers.jsonl"
# Without the JDK's archive, which hides its own classes from the record.
run -Xshare:off "-XX:DumpLoadedClassList=$work/one-shot" -- one-shot --sample --model "$model"
run -Xshare:off "-XX:DumpLoadedClassList=$work/generate" -- generate "$model" --prompt-ids 1,2,3,4,5,6,7,8 --raw -n 2 --stats
# An agent's first questions, to a server that works by itself.
cat > "$work/session" << 'END'
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"train","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"status","arguments":{}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"search","arguments":{"text":"lease"}}}
END
run -Xshare:off "-XX:DumpLoadedClassList=$work/mcp" -- mcp "$work/cache/helix-bg/sample-kb" < "$work/session"
# The numbers of classes are the lists' own, and nobody refers to them. What the lists tell of constants and lambdas beside classes would
# have the JVM link picocli's classes and those built on them, and class files as old as its are archived only while they are not linked.
sed 's/ id: [0-9]*$//' "$work/one-shot" "$work/generate" "$work/mcp" | awk '!seen[$0]++' \
  | grep -v -e '^@.*picocli/' -e '^@cp dev/helixbg/daemon/terminal/Version ' > "$work/classes"
run -Xshare:dump "-XX:SharedClassListFile=$work/classes" "-XX:SharedArchiveFile=$dist/helix-bg.jsa" --
touch "$dist/built"
