#!/bin/sh
# What a user does with the service. Arguments: java, dist, kb. Prints NAME=WHAT HAPPENED, a line each.
set -u
java=$1 dist=$2 kb=$3
unit=helix-bg.service
hb() { "$java" --add-modules jdk.incubator.vector --enable-native-access=ALL-UNNAMED -Xshare:auto -XX:+UseSerialGC -jar "$dist/lib/helix-bg.jar" "$@" 2>> err; }
told() { echo "$1=$2"; }
show() { systemctl --user show --value -p "$1" $unit; }
up_to_date() { # 0 once the daemon answers and has done its work
  for _ in $(seq 120); do
    [ -S .helix/helix-bg.sock ] && hb status | grep -q "up to date" && return 0
    sleep 0.5
  done
  return 1
}
ended() {
  for _ in $(seq 100); do
    case $(show ActiveState) in inactive | failed) return ;; esac
    sleep 0.1
  done
}

# Waiting half a minute before a restart is for users, not for tests.
mkdir -p .config/systemd/user/$unit.d
printf '[Service]\nRestartSec=1\n' > .config/systemd/user/$unit.d/test.conf

hb service install "$kb" > install.out
told install $?
up_to_date
told works $?
told enabled "$(systemctl --user is-enabled $unit)"
hb service status > status.out
told status $?
told main "$(grep -c "Main PID: $(show MainPID)" status.out)"
told group "$(grep -q "$unit" "/proc/$(show MainPID)/cgroup" && echo its own)"
told nice "$(ps -o ni= -p "$(show MainPID)" | tr -d ' ')"
told noNewPrivileges "$(awk '/NoNewPrivs/ {print $2}' "/proc/$(show MainPID)/status")"

killed=$(show MainPID)
kill -9 "$killed"
for _ in $(seq 100); do
  [ "$(show MainPID)" != "$killed" ] && [ "$(show MainPID)" != 0 ] && break
  sleep 0.1
done
up_to_date
told afterKill "$? $(show NRestarts)"

before=$(show MainPID)
hb service restart
told restart $?
up_to_date
told restarted "$? $([ "$(show MainPID)" != "$before" ] && echo other)"

hb service stop
told stop $?
told stopped "$(show ActiveState) $(show Result) $(show ExecMainStatus)"
hb service status > /dev/null
told statusStopped $?

hb service start
told start $?
up_to_date
told started $?
hb stop
ended
told asked "$(show ActiveState) $(show Result) $(show ExecMainStatus)"

printf 'no such setting = 1\n' > .helix/helix-bg.toml
hb service start
ended
told wrongSettings "$(show ActiveState) $(show ExecMainStatus) $(show NRestarts)"
rm .helix/helix-bg.toml

told logs "$(hb service logs | grep -c " watches ")"
hb service uninstall > /dev/null
told uninstall $?
told gone "$([ -e .config/systemd/user/$unit ] || echo yes)"
