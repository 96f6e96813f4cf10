# The options that every JVM of the program is started with; the launcher and the AOT training run must agree. Sourced, not run.

jvm_options=(
  --add-modules jdk.incubator.vector --enable-native-access=ALL-UNNAMED
  # Kernels are held to sizes that were validated when a model was loaded or vectors were packed; a check at each load of a
  # vector costs up to half their speed. pom.xml starts the tests with the same.
  -Djdk.incubator.vector.VECTOR_ACCESS_OOB_CHECK=0
  # One-shot runs are short: the serial collector starts fastest and takes the least memory.
  -XX:+UseSerialGC
  # No counters for jstat in the temp folder.
  -XX:-UsePerfData
)
