# Lists the classes that the program loads, and makes an archive of them, from which a JVM starts in half the time. Sourced in the root folder, not run.

record_classes() { # JAVA LIB WORK JVM_OPTIONS...: writes WORK/classes, the classes that training runs load, sorted, one a line
  local java=$1 lib=$2 work=$3
  shift 3
  local options=(@scripts/lib/jvm.options @scripts/lib/tiered.options "$@")

  run() { # NAME JVM_OPTIONS... -- ARGUMENTS...: runs the program with WORK as its home folder; prints its output only if it fails
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
  # The first run embeds the sample. The second run, which is recorded, finds all vectors in the cache, as most runs of users do. It asks a golden
  # model with the element types of Q4_K_M files, so that the classes of the engine are recorded, too. Two runs work at a time.
  local model=$PWD/llm/src/test/resources/golden/golden-q4km.gguf kb=$work/cache/helix-bg/sample-kb other
  # -Xshare:off turns off the JDK's own archive of classes. Classes from that archive would not be recorded.
  run generate -Xshare:off "-XX:DumpLoadedClassList=$work/generate" -- generate "$model" --prompt "After trying both, the worker" --raw -n 2 --stats &
  other=$!
  run sample -- one-shot --sample
  wait $other
  cp -R "$kb" "$work/kb"
  run one-shot -Xshare:off "-XX:DumpLoadedClassList=$work/one-shot" -- one-shot --sample --set llm.model="$model" &
  other=$!
  # The first requests of an agent, to an MCP server without a daemon. The client waits for the answers.
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
  # Commands that work without a daemon, each in a process of its own.
  run search -Xshare:off "-XX:DumpLoadedClassList=$work/search" -- search "$work/kb" lease &
  other=$!
  run related -Xshare:off "-XX:DumpLoadedClassList=$work/related" -- related "$work/kb" the lease of a job in the queue ends after 30 s
  wait $other
  run findings -Xshare:off "-XX:DumpLoadedClassList=$work/findings" -- findings "$work/kb" &
  other=$!
  run config -Xshare:off "-XX:DumpLoadedClassList=$work/config" -- config
  wait $other
  run done -Xshare:off "-XX:DumpLoadedClassList=$work/done" -- done "$work/kb" "$(grep -oE '[a-z]+-[0-9a-f]{10}' "$work/findings.log" | head -1)"
  # A folder with a memory file, to which an item is added between two runs.
  mkdir "$work/notes"
  echo "*.tmp" > "$work/notes/.gitignore"
  printf -- '- %s\n' "Migrations run by hand, never from CI." "The lease of a job ends after 30 s." "Never run migrations from CI (2026-03-02)." > "$work/notes/MEMORY.md"
  run notes-before -- one-shot --notes "$work/notes"
  echo "- A job's lease is 60 s now, not 30 s." >> "$work/notes/MEMORY.md"
  run notes -Xshare:off "-XX:DumpLoadedClassList=$work/noted" -- one-shot --notes "$work/notes"
  # The screens of tidy, and an act that a stand-in for helix refuses. The command script of util-linux provides the terminal.
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
  # Removes from the lists: the ids of classes, which nothing refers to; the resolved constants (@cp), which differ from run to run and save no time;
  # and the lambdas of picocli. The class files of picocli are so old that a class is archived only if it is not linked, and a lambda would link it.
  sed -e '/^#/d' -e '/^@cp /d' -e '/^@.*picocli\//d' -e 's/ id: [0-9]*$//' "$work"/{one-shot,generate,mcp,search,related,findings,config,done,noted,tidy} | LC_ALL=C sort -u > "$work/classes"
}

# The archive depends on the list CLASSES, the runtime, the jars (bytes, names and times), and the path JAR, which is resolved in FOLDER. With a
# relative path, equal inputs give equal bytes. With an absolute path, a JVM finds the jars by their paths, and does not search for a jar at each class.
dump_classes() { # JAVA FOLDER JAR CLASSES ARCHIVE: makes an archive of classes
  local scripts=$PWD/scripts/lib log
  log=$(cd "$2" && "$1" "@$scripts/jvm.options" "@$scripts/tiered.options" -Xshare:dump "-XX:SharedClassListFile=$4" "-XX:SharedArchiveFile=$5" \
    -jar "$3" 2>&1) || {
    printf '%s\n' "$log" >&2
    return 1
  }
}
