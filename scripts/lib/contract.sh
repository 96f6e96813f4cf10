# Remembers for which sources the whole contract of backends held on the stand-ins for GPUs: it takes half of a check's time, and with the same
# sources it shows the same. Sourced in the root folder, not run. The workflow check keeps the folder of marks by a hash of the same sources.

contract_sources="config/src/main/java/dev/helixbg/config/natives llm/pom.xml llm/src/main/resources llm/src/test/softmetal
$(printf 'llm/src/main/java/dev/helixbg/llm/%s\n' backend gpu tensor) $(printf 'llm/src/test/java/dev/helixbg/llm/%s\n' backend gpu softmetal)"

contract_mark() { # -> the file that says that it held
  local sum=sha256sum
  command -v sha256sum > /dev/null || sum='shasum -a 256'
  echo "${XDG_CACHE_HOME:-$HOME/.cache}/helix-bg/contract/$(find $contract_sources -type f | LC_ALL=C sort | xargs $sum | $sum | cut -c1-16)"
}

contract_option() { # MARK -> for Maven: the whole contract, unless it held
  [ -f "$1" ] || echo -Dcontract.without=
}

mark_contract() { # MARK, from before the tests, which all passed: makes it where the whole contract was among them
  local report
  for report in llm/target/surefire-reports/TEST-*.{Metal,Cuda}BackendContractTest.xml; do
    # One that is not of each kind ran; and none was skipped, as all are without a compiler.
    grep -qs 'name="attentionAgrees' "$report" && ! grep -q '<skipped' "$report" || return 0
  done
  (umask 077 && mkdir -p "${1%/*}") && touch "$1" # the program refuses a cache that others may write to
}
