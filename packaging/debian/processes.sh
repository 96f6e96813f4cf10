# Users run the daemon as a service of their own (helix-bg service install), in a systemd unit of the user. The system's systemd (PID 1) does not know
# these units; each logged-in user has a systemd that does.
user_services() { # ACTION: lets systemctl do ACTION with the unit of each logged-in user
  for folder in /run/user/*; do
    [ -S "$folder/systemd/private" ] || continue
    uid=${folder##*/}
    setpriv --reuid="$uid" --regid="$(stat -c %g "$folder")" --clear-groups env -i PATH="$PATH" XDG_RUNTIME_DIR="$folder" \
      timeout 30 systemctl --user --quiet "$1" helix-bg.service 2> /dev/null || true # most users have no such unit
  done
}

running() { # prints the ids of processes of this package: daemons without a unit, and MCP servers that agents started
  for process in /proc/[0-9]*; do
    case $(readlink "$process/exe" 2> /dev/null) in
      /usr/lib/helix-bg/runtime/*) # processes in containers can have the same path, but under another root
        if [ "$process/root" -ef / ]; then echo "${process#/proc/}"; fi
        ;;
    esac
  done
}
