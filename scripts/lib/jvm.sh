# The options that every JVM of the program is started with; the launcher and the training runs must agree. Sourced, not run.

jvm_options=(
  --add-modules jdk.incubator.vector --enable-native-access=ALL-UNNAMED
  # Kernels are held to sizes that were validated when a model was loaded or vectors were packed; a check at each load of a
  # vector costs up to half their speed. pom.xml starts the tests with the same.
  -Djdk.incubator.vector.VECTOR_ACCESS_OOB_CHECK=0
  # Each kernel is a compilation of its own: inlined into callers, several together outgrow what C2 inlines, and it boxes vectors.
  -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,dev.helixbg.llm.cpu.kernel.*::*
  # And compiled within a few calls, while the caller waits: interpreted, a kernel takes a thousand times as long, and what it calls
  # keeps the compiler busy.
  -XX:CompileCommand=CompileThresholdScaling,dev.helixbg.llm.cpu.kernel.*::*,0.002
  -XX:CompileCommand=BackgroundCompilation,dev.helixbg.llm.cpu.kernel.*::*,false
  # Whole, from their start: a loop that is compiled while it runs is compiled in vain, since its method follows at once.
  -XX:Tier4BackEdgeThreshold=400000
  # Never by C2 before their calls were profiled. C1 leaves profiling out (tier 2) when C2 is busy, or when the interpreter has begun
  # to profile: C2 then boxed vectors, for good, in one of some fifteen processes.
  -XX:Tier3DelayOn=1000 -XX:Tier0ProfilingStartPercentage=100000
  # One-shot runs are short: the serial collector starts fastest and takes the least memory.
  -XX:+UseSerialGC
  # No counters for jstat in the temp folder.
  -XX:-UsePerfData
)
