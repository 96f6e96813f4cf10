# Runs a main class of the daemon's tests with the jars of the built program. Sourced in the root folder, not run.

source scripts/lib/jdk.sh
root=$PWD dist=$PWD/daemon/target/dist

drive() { # CLASS ARGUMENTS...; does not return; the array jvm_options may have more options
  [ -f "$dist/built" ] || "$root/scripts/build"
  exec "$(find_jdk)/bin/java" "@$root/scripts/lib/jvm.options" "@$root/scripts/lib/tiered.options" -Dslf4j.provider=org.slf4j.nop.NOPServiceProvider -Dslf4j.internal.verbosity=ERROR ${jvm_options[@]+"${jvm_options[@]}"} \
    -cp "$dist/lib/helix-bg.jar:$dist/bench/*:$dist/lib/*" "dev.helixbg.daemon.$1" "${@:2}"
}
