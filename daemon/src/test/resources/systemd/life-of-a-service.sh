#!/bin/sh
# What a user does with the service. Arguments: java, dist, scripts, kb. Prints NAME=WHAT HAPPENED, a line each.
set -u
java=$1 dist=$2 scripts=$3 kb=$4
unit=helix-bg.service
hb() { "$java" "@$scripts/lib/jvm.options" "@$scripts/lib/tiered.options" -XX:TieredStopAtLevel=1 -XX:SharedArchiveFile="$dist/lib/helix-bg.jsa" -jar "$dist/lib/helix-bg.jar" "$@" 2>> err; }
told() { echo "$1=$2"; }
show() { systemctl --user show --value -p "$1" $unit; }
up_to_date() { # 0 once the daemon answers and has done its work
  for _ in $(seq 120); do
    [ -S .helix/helix-bg.sock ] && hb status | grep -q "up to date" && return 0
    sleep 1
  done
  return 1
}
ended() {
  for _ in $(seq 100); do
    case $(show ActiveState) in inactive | failed) return ;; esac
    sleep 0.1
  done
}

# What the doctor says of it; with an embedding model that cannot be opened, since to try how fast one is takes twenty seconds.
mkdir none && echo "without a tokenizer" > none/model.onnx
service() { hb doctor --set "embed.models=$PWD/none" | sed -n 's/^\([a-z]*\) *service  *\([a-z, ]*\).*/\1 \2/p'; }

# Two versions of the program, unless they are there.
opt=$PWD/.local/opt/helix-bg
for version in 1 2; do
  [ ! -e "$opt/$version" ] || continue
  mkdir -p "$opt/$version/bin"
  cp -rp "$dist/lib" "$opt/$version/lib" # times, too: the archive of classes knows them
  cp "$scripts"/lib/*.options "$scripts/lib/launch.sh" "$opt/$version/lib"
  ln -s "${java%/bin/java}" "$opt/$version/runtime"
  cp "$scripts/../packaging/launcher" "$opt/$version/bin/helix-bg"
done
ln -sfn 1 "$opt/current"

# Waiting half a minute before a restart is for users, not for tests; so are quiet times.
mkdir -p .helix
printf '[daemon]\npoll_seconds = 0.2\nquiet_seconds = 0.2\n' > .helix/helix-bg.toml
mkdir -p .config/systemd/user/$unit.d
printf '[Service]\nRestartSec=1\n' > .config/systemd/user/$unit.d/test.conf

told uninstalled "$(service)"
hb service install "$kb" --set daemon.log_level=debug > install.out
told install $?
up_to_date
told works $?
told doctor "$(service)"
told java "$(ps -o comm= -p "$(show MainPID)")"
told processes "$(wc -l < "/proc/$(show MainPID)/task/$(show MainPID)/children" | tr -d ' ')$(cat "/proc/$(show MainPID)/task/$(show MainPID)/children")"
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
ln -sfn 2 "$opt/current"
told old "$(service)"
hb service restart
told restart $?
up_to_date
told restarted "$? $([ "$(show MainPID)" != "$before" ] && echo other)"
told updated "$(hb status --json | grep -c "/2/lib/helix-bg.jar")"
told kept "$(tr '\0' ' ' < "/proc/$(show MainPID)/cmdline" | grep -c 'daemon --set daemon.log_level=debug ')"

hb service stop
told stop $?
told stopped "$(show ActiveState) $(show Result) $(show ExecMainStatus)"
hb service status > /dev/null
told statusStopped $?
told doctorStopped "$(service)"

hb service start
told start $?
up_to_date
told started $?
hb stop
ended
told asked "$(show ActiveState) $(show Result) $(show ExecMainStatus)"

hb daemon "$kb" > /dev/null &
up_to_date
hb service start
told byHand $?
ended
hb stop
wait

printf 'no such setting = 1\n' > .helix/helix-bg.toml
hb service start
told wrongStart $?
ended
told wrongSettings "$(show ActiveState) $(show ExecMainStatus) $(show NRestarts)"
told doctorFailed "$(rm .helix/helix-bg.toml; service)"
told errors "$(hb service logs | grep -c 'helix-bg: .*helix-bg.toml')"

mv "$opt/2/bin" "$opt/2/away"
systemctl --user start $unit
told programGone "$? $(show ActiveState) $(show ConditionResult)"
told doctorGone "$(service)"
mv "$opt/2/away" "$opt/2/bin"
told logs "$(hb service logs | grep -c " watches ")"
hb service uninstall > /dev/null
told uninstall $?
told gone "$([ -e .config/systemd/user/$unit ] || echo yes)"
hb status > /dev/null
told answers $?
