# Finds a JDK 25 or newer, as the Maven build does, for scripts that start java themselves; downloads one if there is none. Sourced, not run.

export HOME=${HOME:-$(cd ~ && pwd)} # if HOME is not set, the home folder of the user's account

case $(uname) in
  Darwin) setup_cache=${XDG_CACHE_HOME:-$HOME/Library/Caches}/helix-bg/setup ;;
  *) setup_cache=${XDG_CACHE_HOME:-$HOME/.cache}/helix-bg/setup ;;
esac

jdk_version() { # JDK_HOME: prints the JDK's feature version, such as 25, from its file release
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null
}

search_jdk() { # prints the home of a JDK >= 25, if there is one
  local home version
  for home in "${JAVA_HOME:-}" "${JAVA25_HOME:-}" "${JAVA_HOME_25_X64:-}" "${JAVA_HOME_25_ARM64:-}" \
    /usr/lib/jvm/* /Library/Java/JavaVirtualMachines/*/Contents/Home "$HOME"/Library/Java/JavaVirtualMachines/*/Contents/Home \
    "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/* /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    "$setup_cache"/temurin-*/Contents/Home "$setup_cache"/temurin-*; do
    [ -n "$home" ] && [ -x "$home/bin/javac" ] || continue
    case $home in "$setup_cache"/*.new.*) continue ;; esac # unpacking was interrupted
    version=$(jdk_version "$home")
    if [ "${version:-0}" -ge 25 ]; then
      echo "$home"
      return 0
    fi
  done
  return 1
}

find_jdk() { # prints the home of a JDK >= 25; if there is none, prints what to do and fails
  search_jdk || {
    echo "helix-bg: no JDK 25 found. To download one: scripts/build. To use yours: set JAVA_HOME" >&2
    return 1
  }
}

packaged_jdk() { # prints the command that installs a JDK from the system's packages; prints nothing if they have none
  if command -v apt-cache > /dev/null && apt-cache show openjdk-25-jdk-headless > /dev/null 2>&1; then
    echo "apt install openjdk-25-jdk-headless"
  elif command -v brew > /dev/null; then
    echo "brew install openjdk@25"
  fi
}

get_jdk() { # prints the home of a JDK >= 25; if there is none, downloads Temurin from Adoptium. Prints a message and fails if the download fails
  # helix-bg refuses a cache that others may write to. Earlier versions made the cache with the user's umask.
  [ ! -d "$setup_cache" ] || chmod go-w "${setup_cache%/*}" "$setup_cache" 2> /dev/null || true
  search_jdk || (fetch_jdk) || return $?
}

fetch_jdk() { # downloads a JDK and prints its home
  local version=25.0.4.1+1 platform sum size packaged home archive
  me=helix-bg patience=60 host=${HELIX_BG_LAUNCHER_JDK_FROM:-https://api.adoptium.net}
  source "${BASH_SOURCE[0]%/*}/download.sh"
  umask 077 # no other user may use the cache
  # The size and SHA-256 of each archive, as Adoptium publishes them.
  case "$(uname) $(uname -m)" in
    "Linux x86_64") platform=linux/x64 size=141329719 sum=dbb698396d478e7fa2b1e50f4103324b2a99b90569ee27c33f2261f9215cf41e ;;
    "Linux aarch64") platform=linux/aarch64 size= sum=69df11a02cfa3ef7d7ca645e03edce6778ec090e100f6ae2b42097865730ac52 ;;
    "Darwin arm64") platform=mac/aarch64 size=136355078 sum=61979887f7506a24a57439ff99adb8b3a7fc89977d9cfe3b8984f58a981b7b9d ;;
    *) fail 5 "no JDK 25 found, and this script knows no download for $(uname -m) under $(uname): install a JDK 25, or set JAVA_HOME to it" ;;
  esac
  if [ -n "${HELIX_BG_LAUNCHER_JDK_SHA256:-}" ]; then sum=$HELIX_BG_LAUNCHER_JDK_SHA256 size=; fi # for another build of the JDK, from another host
  packaged=$(packaged_jdk)
  [ -z "${HELIX_BG_LAUNCHER_OFFLINE:-}" ] \
    || fail 5 "no JDK 25 found, and --offline fetches none: install a JDK 25${packaged:+ ($packaged)}, or set JAVA_HOME to it"
  echo "helix-bg: no JDK 25 found: downloading Temurin $version, about 140 MB, into $setup_cache${packaged:+ (to use a package of your system instead: $packaged)}" >&2
  archive=$setup_cache/temurin-$version.tar.gz home=$setup_cache/temurin-$version
  fetch "$archive" "v3/binary/version/jdk-${version/+/%2B}/$platform/jdk/hotspot/normal/eclipse" "$sum" "$size"
  unpack "$archive" "$home"
  if [ -d "$home/Contents/Home" ]; then home=$home/Contents/Home; fi
  [ -x "$home/bin/javac" ] || fail 5 "$archive contains no JDK"
  echo "$home"
}
