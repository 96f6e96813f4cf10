#!/usr/bin/env bash
# Makes the archive of classes (class data sharing) of a checkout's build, which halves the program's start time. The classes are those of the list
# packaging/classes, because recording a new list would add half a minute to each build. The Maven build runs this script.
set -euo pipefail
unset CDPATH
cd "$(dirname "$0")/../.."
source scripts/lib/jdk.sh
source scripts/lib/classes.sh

dist=$PWD/daemon/target/dist
work=$PWD/daemon/target/manifest
java=$(find_jdk)/bin/java

# Deletes jars of other versions and of former dependencies, which Maven leaves in the folder. The manifest of helix-bg.jar names the jars of this build.
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
