# The daemon is a service of each user who asked for it (helix-bg service install), in units that are theirs. systemd's PID 1 does not know
# them; the managers of the users who are logged in do.
user_services() { # ACTION: what systemctl does to the unit of each of them
  for folder in /run/user/*; do
    [ -S "$folder/systemd/private" ] || continue
    uid=${folder##*/}
    setpriv --reuid="$uid" --regid="$(stat -c %g "$folder")" --clear-groups env -i PATH="$PATH" XDG_RUNTIME_DIR="$folder" \
      timeout 30 systemctl --user --quiet "$1" helix-bg.service 2> /dev/null || true # most have none
  done
}

running() { # prints the processes of this package: daemons without a unit, and what agents started
  for process in /proc/[0-9]*; do
    case $(readlink "$process/exe" 2> /dev/null) in
      /usr/lib/helix-bg/runtime/*) # in a container, too: the path is that of its own root
        if [ "$process/root" -ef / ]; then echo "${process#/proc/}"; fi
        ;;
    esac
  done
}
