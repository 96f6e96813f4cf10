# Replaces the shell with the program. Sourced, not run: by scripts/helix-bg in a checkout, by packaging/launcher in an installation.
# Written for plain sh, with built-in commands only, because a machine may have no other commands.
# shellcheck shell=sh disable=SC2154,SC3040

# $java is the java command, $options the folder of the argument files, $lib the folder of the jars, and $bench, if set, the folder of the benchmarks.

# Chooses a locale with UTF-8. File names and arguments are in UTF-8, but a JVM decodes them by the locale: in the locale C, it misreads a name with
# an umlaut. Any locale with UTF-8 will do, because helix-bg does not translate its messages. C.UTF-8 exists on nearly every system; the locale that
# the user has set may not exist.
use_utf8() {
  case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
    *[Uu][Tt][Ff]8 | *[Uu][Tt][Ff]-8) [ -d /usr/lib/locale/C.utf8 ] || return 0 ;;
  esac
  { export LC_ALL=C.UTF-8; } 2> /dev/null # a locale that this shell does not know may still work in the JVM
}

launch() { # ARGUMENTS...; does not return
  true >&2 || exec 2> /dev/null # stderr is closed

  # The JVM needs a working folder. An agent whose folder was deleted can still start its server, which reads no file there.
  if [ -z "$(pwd -P 2> /dev/null)" ]; then
    if [ "${1:-}" = mcp ]; then
      cd /
    else
      echo "helix-bg: the working folder no longer exists: change to another folder" >&2
      exit 2
    fi
  fi

  # Options for other programs, which may prevent the start of this JVM: agents of a development tool, another garbage collector.
  unset JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS

  use_utf8

  # Tells the program which of its outputs are terminals.
  terminals=
  [ -t 1 ] && terminals=1
  [ -t 2 ] && terminals=${terminals}2
  export HELIX_BG_LAUNCHER_TERMINALS="$terminals"

  name=${1:-}
  # If helix-bg's machine code does the heavy work, C2 is not needed: with C1 alone, a small KB takes a fifth less time, and 20,000 entries take no more.
  c1=
  case $name in
    mcp) ! runs_machine_code || c1=-XX:TieredStopAtLevel=1 ;;
    one-shot) ! runs_machine_code || may_find_model "$@" || c1=-XX:TieredStopAtLevel=1 ;;
  esac
  if [ "$name" = mcp ]; then
    # The MCP client reads stdout. Only Console.java writes to it, as descriptor 4; all other output goes to stderr.
    exec 4>&1 >&2
    export HELIX_BG_LAUNCHER_STDOUT=4
  fi
  if [ "$name" = bench ] && [ -d "${bench:-}" ]; then # only a checkout has benchmarks
    set -- --add-opens java.base/java.io=ALL-UNNAMED -cp "$lib/helix-bg.jar:$bench/*" dev.helixbg.daemon.cli.bench.Benchmarks "$@"
  else
    set -- -jar "$lib/helix-bg.jar" "$@"
  fi
  # shellcheck disable=SC2086 # several options in one variable
  set -- ${HELIX_BG_LAUNCHER_JAVA_OPTIONS:-} "$@"
  # The initial heap must not be larger than the maximum that the user sets.
  case ${HELIX_BG_LAUNCHER_JAVA_OPTIONS:-} in *-Xmx*) set -- -Xms8m "$@" ;; esac
  case $name in
    generate | bench)
      # With fewer than four processors, the JVM has only one thread for C2, and kernels would wait for it one after another.
      [ "$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 4)" -ge 4 ] || set -- -XX:CICompilerCount=3 "$@"
      set -- "@$options/c2.options" "$@"
      ;;
    search | related | findings | tidy | act | dismiss | done | undo | status | stop | config | completion | man | help | -*)
      set -- "@$options/short.options" "$@"
      ;;
    *) set -- "${c1:-@$options/tiered.options}" "$@" ;;
  esac
  if [ "$name" = daemon ]; then
    set -- "@$options/daemon.options" "$@"
    # Makes glibc return freed memory to the system. By default, glibc makes a heap for each thread, and keeps larger and larger blocks after large
    # ones were freed, as compilers and models do. At rest, this took another 10 to 35 MB, which varied from run to run.
    export MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
  else
    # By default, the heap begins with a 64th of the machine's memory, which fills with garbage before the first collection. And the young generation
    # may grow to half of the old one, which also fills with garbage: 260 MB for 100,000 entries. C2 frees its memory after five seconds; without
    # trimming, glibc keeps about 50 MB of it. The daemon has its own options for this.
    heap="-Xms24m -XX:MaxNewSize=32m"
    # Each agent starts an MCP server, so it gets a small heap. C2 needs 10 MB while it works, so it compiles only methods with very many calls. The
    # exception is hashing: C2 compiles it at the first calls, to instructions of the processor, because a report is hashed only once.
    [ "$name" != mcp ] || heap="-Xms8m -XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=20000 -XX:Tier4CompileThreshold=100000 \
      -XX:CompileCommand=CompileThresholdScaling,sun.security.provider.DigestBase::*,0.0002"
    # shellcheck disable=SC2086 # several options in one variable
    set -- $heap -XX:TrimNativeHeapInterval=2000 "$@"
  fi
  # A JVM ignores, without a message, an archive of classes that was made for another JVM.
  # After a crash, the JVM writes its report into the temp folder, not into the working folder, which may be a repository or a folder of notes.
  set -- "$java" "@$options/jvm.options" "-XX:SharedArchiveFile=$lib/helix-bg.jsa" "-XX:ErrorFile=${TMPDIR:-/tmp}/helix-bg-crash-%p.log" \
    -Xlog:disable -Xlog:all=error:stderr "-Xlog:aot*=off:stderr" "-Xlog:cds*=off:stderr" "$@"

  # A service has no terminal, so the filter below, which needs another process, is not used.
  [ -z "${HELIX_BG_LAUNCHER_SERVICE:-}" ] || exec "$@"

  # No option turns off the JVM's warning about the Vector API, so a filter removes it from descriptor 2. Console.java writes directly to stderr, as
  # descriptor 3: through the filter, its last lines could arrive after the output of the next command.
  export HELIX_BG_LAUNCHER_STDERR=3
  exec 3>&2
  if [ -n "${BASH_VERSION:-}" ]; then
    set +o posix # in this mode, older versions of bash have no process substitution
    eval 'exec "$@" 2> >(without_warning)'
  elif [ -d /proc/self/fd ]; then
    # This shell cannot hand out the writing end of a pipe to a process. The filter's end is therefore opened again through its name under /proc. The
    # filter has started when it closes its stdout; it keeps the pipe open until the first line arrives.
    filter=$(: | { exec 4<> /proc/self/fd/0 >&2 && read -r _ && exec 4>&- && without_warning; } & echo $!)
    { exec 2> "/proc/$filter/fd/0" && echo >&2; }
  fi
  exec "$@"
}

runs_machine_code() { # whether this processor runs helix-bg's own machine code for embedding and comparing
  [ -r /proc/cpuinfo ] || return 1
  while read -r line; do
    case $line in flags*) break ;; esac
  done < /proc/cpuinfo
  for flag in fma avx2; do
    case "$line " in
      *" $flag "*) ;;
      *) return 1 ;;
    esac
  done
}

may_find_model() { # ARGUMENTS...; whether the settings may lead to a language model, whose kernels C2 must compile
  [ -z "${HELIX_BG_CONFIG:-}${HELIX_BG_LLM_MODEL:-}${HELIX_BG_EMBED_MODELS:-}" ] && [ -n "${HOME:-}" ] || return 0
  for word; do
    case $word in --config* | --set*) return 0 ;; esac
  done
  for file in "$HOME"/.helix/helix-bg.toml "$HOME"/.helix/models/*.[gG][gG][uU][fF]; do
    [ ! -e "$file" ] || return 0
  done
  return 1
}

without_warning() { # copies stdin to stderr, without the JVM's warning
  while IFS= read -r line || [ -n "$line" ]; do
    [ "$line" = "WARNING: Using incubator modules: jdk.incubator.vector" ] || printf '%s\n' "$line" >&2 || true # stderr may be closed
  done
}
