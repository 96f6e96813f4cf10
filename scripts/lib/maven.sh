# Finds Maven. Sourced in the root folder, not run.

# A build is over before C2 has paid: without it, and without a collector's threads, Maven and the compiler in it take half the processor time.
# And its colours are reset at its end, with escape codes in any log, unless told not to.
export MAVEN_OPTS="-Djansi.noreset=true ${MAVEN_OPTS:--XX:TieredStopAtLevel=1 -XX:+UseSerialGC}"

find_maven() { # prints the command: the system's, where it is new enough, else that of mvnw
  local version
  version=$(mvn --version 2> /dev/null | sed -n 's/.*Apache Maven \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' || true)
  if [ -n "$version" ] && [ $((${version% *} * 100 + ${version#* })) -ge 308 ]; then echo mvn; else echo ./mvnw; fi
}
