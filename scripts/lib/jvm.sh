# The options that the program's JVMs are started with: jvm_options and one of the two that follow. Sourced, not run.

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
  # One-shot runs are short: the serial collector starts fastest and takes the least memory.
  -XX:+UseSerialGC
  # No counters for jstat in the temp folder.
  -XX:-UsePerfData
)

# Most commands: C1 makes them start 0.1 s sooner. Kernels are never compiled by C2 before their calls were profiled. C1 leaves profiling out
# (tier 2) when C2 is busy, or when the interpreter has begun to profile: C2 then boxed vectors, for good, in one of some fifteen processes.
tiered_options=(-XX:Tier3DelayOn=1000 -XX:Tier0ProfilingStartPercentage=100000)

# Commands that begin with a model: C1 would compile each kernel only to profile it, a third of the time to the first token. The
# interpreter profiles instead. C2 must then not inline two ways at a call inside the Vector API where vectors of two sizes were
# seen, because it boxes what the ways share. Of a receiver that always had one class it assumes that it has it; of
# others it finds the class by itself, after inlining.
c2_options=(-XX:CompilationMode=high-only -XX:-UseBimorphicInlining -XX:TypeProfileMajorReceiverPercent=100)
