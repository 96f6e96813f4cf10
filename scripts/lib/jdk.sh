# Finds a JDK 25 or newer the way the Maven build does, for scripts that start java themselves. Sourced, not run.

jdk_version() { # JDK_HOME -> its feature version, from the release file that every JDK carries
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null
}

find_jdk() { # prints the home of a JDK >= 25, or says what to install
  local home version
  for home in "${JAVA_HOME:-}" "${JAVA25_HOME:-}" "${JAVA_HOME_25_X64:-}" "${JAVA_HOME_25_ARM64:-}" \
    /usr/lib/jvm/* /Library/Java/JavaVirtualMachines/*/Contents/Home "$HOME"/Library/Java/JavaVirtualMachines/*/Contents/Home \
    "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/* /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
    [ -n "$home" ] && [ -x "$home/bin/javac" ] || continue
    version=$(jdk_version "$home")
    if [ "${version:-0}" -ge 25 ]; then
      echo "$home"
      return 0
    fi
  done
  echo "helix-bg: no JDK 25 found. Install one (Debian: temurin-25-jdk from adoptium.net; macOS: brew install --cask temurin@25; or sdk install java 25-tem), or set JAVA_HOME to it." >&2
  return 1
}
