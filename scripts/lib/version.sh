# Computes the version of a build of this checkout; builds that differ never have the same version. Sourced in the root folder, not run.

sources_hash() { # prints 8 hexadecimal digits: a hash of the contents of all files that go into a build
  local sum=sha256sum
  command -v $sum > /dev/null || sum="shasum -a 256"
  # shellcheck disable=SC2086 # a command with options
  find . \( -name target -o -name .git \) -prune -o -type f \( -path './pom.xml' -o -path './*/pom.xml' -o -path './*/src/main/*' \
    -o -path './scripts/*' -o -path './packaging/*' -o -path './LICENSE' -o -path './README.md' -o -path './CHANGELOG.md' \) -print \
    | LC_ALL=C sort | tr '\n' '\0' | xargs -0 $sum | $sum | cut -c 1-8
}

pom_version() { sed -n 's:.*<version>\(.*\)</version>.*:\1:p' pom.xml | head -n 1; }

# Prints VERSION+COMMIT; if files were changed, VERSION+COMMIT-dirty-HASH; without git, VERSION+src-HASH.
build_version() {
  local commit
  # If this folder is an unpacked source archive inside the checkout of another project, that project's commit does not count.
  if [ -z "$(git rev-parse --show-prefix 2> /dev/null || echo none)" ] && commit=$(git rev-parse --short=10 HEAD 2> /dev/null); then
    [ -z "$(git status --porcelain)" ] || commit+=-dirty-$(sources_hash)
  else
    commit=src-$(sources_hash)
  fi
  echo "$(pom_version)+$commit"
}

release_version() { # prints the version without a suffix if this commit is tagged as the release, else the same as build_version
  local version
  version=v$(pom_version)
  if [[ $(build_version) != *-* && $(git tag --points-at HEAD 2> /dev/null) =~ (^|$'\n')"$version"($'\n'|$) ]]; then
    echo "${version#v}"
  else
    build_version
  fi
}

write_version() { # FILE: writes the version, which the program reads; does not touch the file if it already has this version
  local version
  version=$(build_version)
  [ "$(cat "$1" 2> /dev/null)" = "$version" ] || { mkdir -p "$(dirname "$1")" && echo "$version" > "$1"; }
}
