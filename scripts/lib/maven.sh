# Finds Maven. Sourced in the root folder, not run.

# A build ends before compilation by C2 saves time. Without C2, and with the serial collector, Maven and javac take half the processor time.
# Without the first option, Maven resets colours at its end, and writes escape codes into each log.
export MAVEN_OPTS="-Djansi.noreset=true ${MAVEN_OPTS:--XX:TieredStopAtLevel=1 -XX:+UseSerialGC}"

count_tests() { # FILE: prints how many tests have reports newer than FILE, and how many of these tests were skipped
  local cases
  cases=$(find ./*/target/*-reports -name 'TEST-*.xml' -newer "$1" -exec grep -hoE '<(testcase|skipped)[ />]' {} + || true)
  echo "$(grep -c testcase <<< "$cases" || true) tests, $(grep -c skipped <<< "$cases" || true) of them skipped"
}

find_maven() { # prints the command: the system's mvn if its version is at least 3.8, else ./mvnw
  local version
  version=$(mvn --version 2> /dev/null | sed -n 's/.*Apache Maven \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' || true)
  if [ -n "$version" ] && [ $((${version% *} * 100 + ${version#* })) -ge 308 ]; then echo mvn; else echo ./mvnw; fi
}
