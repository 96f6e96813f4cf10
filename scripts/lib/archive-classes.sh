#!/usr/bin/env bash
# Makes the archive of classes of a checkout's build, which halves its start, from the list that releases keep: recording one anew would be half
# a minute of every build. Called by the Maven build.
set -euo pipefail
unset CDPATH
cd "$(dirname "$0")/../.."
source scripts/lib/jdk.sh
source scripts/lib/classes.sh

dist=$PWD/daemon/target/dist
work=$PWD/daemon/target/manifest
java=$(find_jdk)/bin/java

# What another version or dependency left there is no part of this build: Maven only adds. The program's own manifest names its jars.
mkdir -p "$work"
(cd "$work" && "${java%java}jar" --extract --file "$dist/lib/helix-bg.jar" META-INF/MANIFEST.MF)
jars=" helix-bg.jar $(tr -d '\r' < "$work/META-INF/MANIFEST.MF" | sed -e ':all' -e N -e '$!b all' -e 's/\n //g' | sed -n 's/^Class-Path: //p') "
for jar in "$dist"/lib/*.jar; do
  [[ $jars = *" ${jar##*/} "* ]] || rm "$jar"
done
version=$(sed -n 's:.*<version>\(.*\)</version>.*:\1:p' pom.xml | head -n 1)
for jar in "$dist"/bench/helix-bg-*-tests.jar; do
  [[ $jar = *"-$version-tests.jar" ]] || rm -f "$jar"
done

rm -f "$dist/lib/helix-bg.jsa"
dump_classes "$java" "$dist" "$dist/lib/helix-bg.jar" "$PWD/packaging/classes" "$dist/lib/helix-bg.jsa"
cp daemon/target/classes/dev/helixbg/daemon/terminal/build-version "$dist/built"
