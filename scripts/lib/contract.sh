# Stores for which sources all tests of the backends' contract passed on the programs that stand in for GPUs. These tests take half of the time of
# scripts/check, and give the same result for the same sources. A mark is an empty file whose name is a hash of the sources. The workflow check caches
# the folder of marks under a hash of the same sources. Sourced in the root folder, not run.

contract_sources="config/src/main/java/dev/helixbg/config/natives llm/pom.xml llm/src/main/resources llm/src/test/softmetal
$(printf 'llm/src/main/java/dev/helixbg/llm/%s\n' backend gpu tensor) $(printf 'llm/src/test/java/dev/helixbg/llm/%s\n' backend gpu softmetal)"

contract_mark() { # prints the path of the mark for the present sources
  local sum=sha256sum
  command -v sha256sum > /dev/null || sum='shasum -a 256'
  echo "${XDG_CACHE_HOME:-$HOME/.cache}/helix-bg/contract/$(find $contract_sources -type f | LC_ALL=C sort | xargs $sum | $sum | cut -c1-16)"
}

contract_option() { # MARK: if the mark does not exist, prints the option with which Maven runs all tests of the contract
  [ -f "$1" ] || echo -Dcontract.without=
}

mark_contract() { # MARK: after all tests have passed, makes the mark if all tests of the contract were among them; MARK was computed before the tests
  local report
  for report in llm/target/surefire-reports/TEST-*.{Metal,Cuda}BackendContractTest.xml; do
    # attentionAgrees runs only with all tests of the contract. No test may be skipped; without a compiler, all of them are.
    grep -qs 'name="attentionAgrees' "$report" && ! grep -q '<skipped' "$report" || return 0
  done
  (umask 077 && mkdir -p "${1%/*}") && touch "$1" # helix-bg refuses a cache that others may write to
}
