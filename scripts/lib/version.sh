# Says which build this checkout makes: two that differ never have the same name. Sourced in the root folder, not run.

sources_hash() { # 8 digits over everything that goes into a build, by content
  local sum=sha256sum
  command -v $sum > /dev/null || sum="shasum -a 256"
  # shellcheck disable=SC2086 # a command with options
  find . \( -name target -o -name .git \) -prune -o -type f \( -path './pom.xml' -o -path './*/pom.xml' -o -path './*/src/main/*' \
    -o -path './scripts/*' -o -path './packaging/*' -o -path './LICENSE' -o -path './README.md' -o -path './CHANGELOG.md' \) -print \
    | LC_ALL=C sort | tr '\n' '\0' | xargs -0 $sum | $sum | cut -c 1-8
}

pom_version() { sed -n 's:.*<version>\(.*\)</version>.*:\1:p' pom.xml | head -n 1; }

# VERSION+COMMIT, of changed files VERSION+COMMIT-dirty-HASH, without git VERSION+src-HASH
build_version() {
  local commit
  # A source archive may lie in the checkout of something else.
  if [ -z "$(git rev-parse --show-prefix 2> /dev/null || echo none)" ] && commit=$(git rev-parse --short=10 HEAD 2> /dev/null); then
    [ -z "$(git status --porcelain)" ] || commit+=-dirty-$(sources_hash)
  else
    commit=src-$(sources_hash)
  fi
  echo "$(pom_version)+$commit"
}

release_version() { # the same; of the very commit that is tagged as a release, the plain version
  local version
  version=v$(pom_version)
  if [[ $(build_version) != *-* && $(git tag --points-at HEAD 2> /dev/null) =~ (^|$'\n')"$version"($'\n'|$) ]]; then
    echo "${version#v}"
  else
    build_version
  fi
}

write_version() { # FILE: for the program to read; left alone where it says so already
  local version
  version=$(build_version)
  [ "$(cat "$1" 2> /dev/null)" = "$version" ] || { mkdir -p "$(dirname "$1")" && echo "$version" > "$1"; }
}
