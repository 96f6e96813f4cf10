#!/bin/sh
# Runs a script under a systemd user instance of nobody, on a machine that need not be booted with systemd. As root, in a mount
# namespace of its own:  unshare -m --propagation private user-instance.sh HOME SCRIPT ARGUMENTS...
# Exit code 77: this machine does not let a user instance run.
set -u
if [ "$(id -u)" = 0 ]; then
  mount -t tmpfs tmpfs /run || exit 77
  # What PID 1 makes: the sign that systemd is there, and where it mounts what services see.
  mkdir -p /run/systemd/system /run/systemd/unit-root /run/user/65534 || exit 77
  chown 65534:65534 /run/user/65534 && chmod 700 /run/user/65534 || exit 77
  for tree in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
    [ -e "$tree/cgroup.procs" ] || continue
    group=$tree/helix-bg-test
    mkdir -p "$group" && chown -R 65534:65534 "$group" && echo $$ > "$group/cgroup.procs" || exit 77
  done
  exec setpriv --reuid 65534 --regid 65534 --clear-groups env -i PATH="$PATH" HOME="$1" XDG_RUNTIME_DIR=/run/user/65534 "$0" "$@"
fi
cd "$HOME" || exit 77
shift
for systemd in /usr/lib/systemd/systemd /lib/systemd/systemd; do [ -x "$systemd" ] && break; done
"$systemd" --user --log-target=console > systemd.log 2>&1 &
manager=$!
for _ in $(seq 100); do
  [ -S "$XDG_RUNTIME_DIR/systemd/private" ] && break
  kill -0 $manager 2> /dev/null || { cat systemd.log >&2; exit 77; }
  sleep 0.1
done
systemctl --user is-system-running --wait > /dev/null
script=$1
shift
"$script" "$@"
code=$?
kill -TERM $manager
wait $manager
exit $code
