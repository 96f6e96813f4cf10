# Replaces the shell with the program. Sourced, not run: by scripts/helix-bg in a checkout, by packaging/launcher in an installation.
# Plain sh, and no command that is not built into it, because an installation may be all that a machine has.
# shellcheck shell=sh disable=SC2154,SC3040

# $java is the command, $options the folder of the argument files, $lib that of the jars, $bench, if it is set, that of the benchmarks.
# Names of files and arguments are UTF-8, and a JVM reads them in the encoding of the locale: in that of C a name with an umlaut is another
# file's, or none. Messages are in no language, so that any locale of UTF-8 will do; that of C there is in nearly every system. A locale that
# is named may not be there.
use_utf8() {
  case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
    *[Uu][Tt][Ff]8 | *[Uu][Tt][Ff]-8) [ -d /usr/lib/locale/C.utf8 ] || return 0 ;;
  esac
  { export LC_ALL=C.UTF-8; } 2> /dev/null # where a shell does not know it, the JVM may
}

launch() { # ARGUMENTS...; does not return
  true >&2 || exec 2> /dev/null # closed

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
  # C1 alone takes a fifth less time for a small knowledge base, and no more for 20,000 entries, if machine code does the heavy work.
  c1=
  case $name in
    mcp) ! runs_machine_code || c1=-XX:TieredStopAtLevel=1 ;;
    one-shot) ! runs_machine_code || may_find_model "$@" || c1=-XX:TieredStopAtLevel=1 ;;
  esac
  if [ "$name" = mcp ]; then
    # A client reads what this prints. Only Console.java has that descriptor, as 4; whatever else is printed goes to stderr.
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
  # A heap must not begin larger than a user lets it grow.
  case ${HELIX_BG_LAUNCHER_JAVA_OPTIONS:-} in *-Xmx*) set -- -Xms8m "$@" ;; esac
  case $name in
    generate | bench)
      # Below four processors the JVM has one thread for C2, which kernels would wait for one after the other.
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
    # Has glibc give back what is freed: left to itself it makes each thread a heap of its own, and keeps ever larger blocks once large ones
    # were freed, as compilers and models do. That was another 10 to 35 MB at rest, by chance.
    export MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
  else
    # A heap that begins at a 64th of the memory is filled with garbage before anyone looks. And what C2 has worked in, and gives back after
    # five seconds, stays in glibc's hands else: some fifty megabytes. A daemon rests, and trims after its models.
    # The heap's young part could grow to half of its old part, and then is filled with garbage: 260 MB over 100,000 entries.
    heap="-Xms24m -XX:MaxNewSize=32m"
    # Each agent has one: a small heap, and C2 only for what is really hot, since its work takes 10 MB for a while. Digests are its business
    # at their first calls: it makes them of the processor's own instructions, and a report is hashed once.
    [ "$name" != mcp ] || heap="-Xms8m -XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=20000 -XX:Tier4CompileThreshold=100000 \
      -XX:CompileCommand=CompileThresholdScaling,sun.security.provider.DigestBase::*,0.0002"
    # shellcheck disable=SC2086 # several options in one variable
    set -- $heap -XX:TrimNativeHeapInterval=2000 "$@"
  fi
  # An archive of classes that does not fit this JVM is passed over in silence.
  # A crash of the JVM is described in the temp folder, not in the working folder, which may be a repository or a folder of notes.
  set -- "$java" "@$options/jvm.options" "-XX:SharedArchiveFile=$lib/helix-bg.jsa" "-XX:ErrorFile=${TMPDIR:-/tmp}/helix-bg-crash-%p.log" \
    -Xlog:disable -Xlog:all=error:stderr "-Xlog:aot*=off:stderr" "-Xlog:cds*=off:stderr" "$@"

  # A service has no terminal to keep clean, and no process beside its own.
  [ -z "${HELIX_BG_LAUNCHER_SERVICE:-}" ] || exec "$@"

  # No option turns off the JVM's warning about the Vector API, so it is filtered out of descriptor 2. The same stderr is passed as
  # descriptor 3 too, for Console.java to write to directly: behind a filter, what is written last could arrive after the next
  # command's output.
  export HELIX_BG_LAUNCHER_STDERR=3
  exec 3>&2
  if [ -n "${BASH_VERSION:-}" ]; then
    set +o posix # in which an older bash has no process substitution
    eval 'exec "$@" 2> >(without_warning)'
  elif [ -d /proc/self/fd ]; then
    # A pipe's other end, where the shell hands out none: the filter's own end, opened once more by its name under /proc. The filter is
    # there as soon as it has let go of its stdout, and holds the pipe open until the first line comes.
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

without_warning() { # passes stdin on to stderr
  while IFS= read -r line || [ -n "$line" ]; do
    [ "$line" = "WARNING: Using incubator modules: jdk.incubator.vector" ] || printf '%s\n' "$line" >&2 || true # it can be closed
  done
}
