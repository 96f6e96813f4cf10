# Which classes the program loads, and an archive of them, from which a JVM starts in half the time. Sourced in the root folder, not run.

record_classes() { # JAVA LIB WORK JVM_OPTIONS... -> WORK/classes: what training runs load, a line each, sorted
  local java=$1 lib=$2 work=$3
  shift 3
  local options=(@scripts/lib/jvm.options @scripts/lib/tiered.options "$@")

  run() { # NAME JVM_OPTIONS... -- ARGUMENTS...; runs against a home of its own, and shows the output only of a failure
    local log=$work/$1.log jvm=()
    shift
    while [ "$1" != -- ]; do jvm+=("$1"); shift; done
    shift
    env -i HOME="$work" PATH="$PATH" XDG_CACHE_HOME="$work/cache" TMPDIR="${TMPDIR:-/tmp}" \
      "$java" "${options[@]}" ${jvm[@]+"${jvm[@]}"} -jar "$lib/helix-bg.jar" "$@" > "$log" 2>&1 || {
      cat "$log" >&2
      return 1
    }
  }

  rm -rf "$work"
  mkdir -p "$work"
  # The first run embeds the sample. The second, recorded, finds all vectors in its cache: that is the run whose start matters. It asks a
  # golden model, of the types of Q4_K_M files, so that the classes of the engine are recorded, too. Two run at a time.
  local model=$PWD/llm/src/test/resources/golden/golden-q4km.gguf kb=$work/cache/helix-bg/sample-kb other
  # Without the JDK's archive, which hides its own classes from the record.
  run generate -Xshare:off "-XX:DumpLoadedClassList=$work/generate" -- generate "$model" --prompt "After trying both, the worker" --raw -n 2 --stats &
  other=$!
  run sample -- one-shot --sample
  wait $other
  cp -R "$kb" "$work/kb"
  run one-shot -Xshare:off "-XX:DumpLoadedClassList=$work/one-shot" -- one-shot --sample --set llm.model="$model" &
  other=$!
  # An agent's first questions, to a server that works by itself, and a client that waits for the answers.
  cat > "$work/session" << 'END'
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"train","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"status","arguments":{}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"search","arguments":{"text":"lease"}}}
{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"findings","arguments":{}}}
{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"related","arguments":{"text":"the lease of a job in the queue ends after 30 s"}}}
{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"questions","arguments":{}}}
END
  { cat "$work/session"; for _ in {1..600}; do [ "$(grep -cs '^{"jsonrpc"' "$work/mcp.log")" != 7 ] || break; sleep 0.1; done; } |
    run mcp -Xshare:off "-XX:DumpLoadedClassList=$work/mcp" -- mcp "$work/kb"
  wait $other
  # What asks without a daemon, in a process of its own each time.
  run search -Xshare:off "-XX:DumpLoadedClassList=$work/search" -- search "$work/kb" lease &
  other=$!
  run related -Xshare:off "-XX:DumpLoadedClassList=$work/related" -- related "$work/kb" the lease of a job in the queue ends after 30 s
  wait $other
  run findings -Xshare:off "-XX:DumpLoadedClassList=$work/findings" -- findings "$work/kb" &
  other=$!
  run config -Xshare:off "-XX:DumpLoadedClassList=$work/config" -- config
  wait $other
  run done -Xshare:off "-XX:DumpLoadedClassList=$work/done" -- done "$work/kb" "$(grep -oE '[a-z]+-[0-9a-f]{10}' "$work/findings.log" | head -1)"
  # A folder with a memory file, of which an item is new since the run before.
  mkdir "$work/notes"
  echo "*.tmp" > "$work/notes/.gitignore"
  printf -- '- %s\n' "Migrations run by hand, never from CI." "The lease of a job ends after 30 s." "Never run migrations from CI (2026-03-02)." > "$work/notes/MEMORY.md"
  run notes-before -- one-shot --notes "$work/notes"
  echo "- A job's lease is 60 s now, not 30 s." >> "$work/notes/MEMORY.md"
  run notes -Xshare:off "-XX:DumpLoadedClassList=$work/noted" -- one-shot --notes "$work/notes"
  # The screens of tidy, and an act that helix refuses. The command script, of util-linux, makes the terminal.
  cat > "$work/helix" << 'END'
#!/bin/bash
while IFS= read -r line; do
  [[ $line =~ \"id\":(\"[^\"]*\"|[0-9]+) ]] || continue
  case $line in
    *'"initialize"'*) answer='"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"helix","version":"1"}}' ;;
    *'"tools/list"'*)
      schema='"inputSchema":{"type":"object","properties":{"action":{},"topic":{},"match_str":{},"text":{},"into":{}}}'
      answer="\"result\":{\"tools\":[{\"name\":\"store\",$schema},{\"name\":\"edit\",$schema},{\"name\":\"topics\",$schema}]}"
      ;;
    *) answer='"error":{"code":-32603,"message":"refused"}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "${BASH_REMATCH[1]}" "$answer"
done
END
  chmod +x "$work/helix"
  local tidy=(env -i HOME="$work" PATH="$PATH" XDG_CACHE_HOME="$work/cache" TERM=xterm-256color "$java" "${options[@]}" -Xshare:off
    "-XX:DumpLoadedClassList=$work/tidy" -jar "$lib/helix-bg.jar" tidy "$work/kb" --set "helix.command=$work/helix")
  {
    for _ in {1..600}; do grep -qs quit "$work/tidy.log" && break; sleep 0.1; done
    for key in n e e s $'\r' $'\e' '?' $'\e' d $'\e' q; do printf %s "$key"; sleep 1; done
  } | script -qefc "$(printf '%q ' "${tidy[@]}")" /dev/null > "$work/tidy.log"
  # The numbers of classes are the lists' own, and nobody refers to them. Which constants were resolved differs from run to run, and
  # gains nothing. Class files as old as picocli's are archived only while they are not linked, which its lambdas would have them be.
  sed -e '/^#/d' -e '/^@cp /d' -e '/^@.*picocli\//d' -e 's/ id: [0-9]*$//' "$work"/{one-shot,generate,mcp,search,related,findings,config,done,noted,tidy} | LC_ALL=C sort -u > "$work/classes"
}

# The archive depends on the list, the runtime, the jars (their bytes, names and times) and the name of the jar, which is looked up from FOLDER:
# without a folder in it, the same make the same bytes. With it, a JVM finds the jars again by their names, and looks no further for each class.
dump_classes() { # JAVA FOLDER JAR CLASSES ARCHIVE
  local scripts=$PWD/scripts/lib log
  log=$(cd "$2" && "$1" "@$scripts/jvm.options" "@$scripts/tiered.options" -Xshare:dump "-XX:SharedClassListFile=$4" "-XX:SharedArchiveFile=$5" \
    -jar "$3" 2>&1) || {
    printf '%s\n' "$log" >&2
    return 1
  }
}
