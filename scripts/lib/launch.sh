# Starts the program in place of the shell. Sourced by the launchers of a checkout and of an installation, which set java (the executable),
# dist (the folder of lib/ and helix-bg.jsa), options (the folder of the *.options files) and, where there are benchmarks, bench.

# Tells the program which of its outputs are terminals.
terminals=
[ -t 1 ] && terminals+=1
[ -t 2 ] && terminals+=2
export HELIX_BG_LAUNCHER_TERMINALS=$terminals

jvm=(
  "@$options/jvm.options"
  # Classes from the build's training runs; an archive that does not fit this JVM is passed over in silence.
  "-XX:SharedArchiveFile=$dist/helix-bg.jsa" -Xlog:disable -Xlog:all=error:stderr "-Xlog:aot*=off:stderr" "-Xlog:cds*=off:stderr"
)
if [ "${1:-}" = daemon ]; then
  jvm+=("@$options/daemon.options")
  # Has glibc give back what is freed: left to itself it makes each thread a heap of its own, and keeps ever larger blocks once large ones
  # were freed, as compilers and models do. That was another 10 to 35 MB at rest, by chance.
  export MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
else
  # A heap that begins at a 64th of the memory is filled with garbage before anyone looks. And what C2 has worked in, and gives back after
  # five seconds, stays in glibc's hands else: some fifty megabytes. A daemon rests, and trims after its models.
  jvm+=(-Xms24m -XX:TrimNativeHeapInterval=2000)
fi
case "${1:-}" in
  generate | load-model | bench)
    jvm+=("@$options/c2.options")
    # Below four processors the JVM has one thread for C2, which kernels would wait for one after the other.
    [ "$(getconf _NPROCESSORS_ONLN)" -ge 4 ] || jvm+=(-XX:CICompilerCount=3)
    ;;
  *) jvm+=("@$options/tiered.options") ;;
esac
program=(-jar "$dist/lib/helix-bg.jar")
if [ "${1:-}" = bench ] && [ -n "${bench:-}" ] && [ -d "$bench" ]; then
  program=(--add-opens java.base/java.io=ALL-UNNAMED -cp "$dist/lib/helix-bg.jar:$bench/*" dev.helixbg.daemon.cli.bench.Benchmarks)
fi
command=("$java" "${jvm[@]}" ${HELIX_BG_LAUNCHER_JAVA_OPTIONS:-} "${program[@]}" "$@")

# A service has no terminal to keep clean, and no process beside its own.
[ -z "${HELIX_BG_LAUNCHER_SERVICE:-}" ] || exec "${command[@]}"

# No option turns off the JVM's warning about the Vector API, so it is filtered out of descriptor 2. The same stderr is passed as
# descriptor 3 too, for Console.java to write to directly: behind a filter, what is written last could arrive after the next
# command's output.
{ : >&2; } 2> /dev/null || exec 2> /dev/null # closed
without_warning() { exec grep --line-buffered -v '^WARNING: Using incubator modules: jdk.incubator.vector$' >&2; }
HELIX_BG_LAUNCHER_STDERR=3 exec "${command[@]}" 3>&2 2> >(without_warning)
