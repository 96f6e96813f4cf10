# Finds Maven. Sourced in the root folder, not run.

# A build is over before C2 has paid: without it, and without a collector's threads, Maven and the compiler in it take half the processor time.
# And its colours are reset at its end, with escape codes in any log, unless told not to.
export MAVEN_OPTS="-Djansi.noreset=true ${MAVEN_OPTS:--XX:TieredStopAtLevel=1 -XX:+UseSerialGC}"

count_tests() { # FILE -> how many tests have reports newer than the file, and how many of them were skipped
  local cases
  cases=$(find ./*/target/*-reports -name 'TEST-*.xml' -newer "$1" -exec grep -hoE '<(testcase|skipped)[ />]' {} + || true)
  echo "$(grep -c testcase <<< "$cases" || true) tests, $(grep -c skipped <<< "$cases" || true) of them skipped"
}

find_maven() { # prints the command: the system's, where it is new enough, else that of mvnw
  local version
  version=$(mvn --version 2> /dev/null | sed -n 's/.*Apache Maven \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' || true)
  if [ -n "$version" ] && [ $((${version% *} * 100 + ${version#* })) -ge 308 ]; then echo mvn; else echo ./mvnw; fi
}
