# Downloads files whose SHA-256 is known: continues interrupted downloads, checks each file, and reports a failure in one line. Sourced, not run, by a
# script that sets me (its name, for messages), host (the beginning of every URL) and patience (seconds without data). scripts/fetch-models documents
# the exit codes.

fail() { # CODE MESSAGE
  local LC_ALL=C
  echo "$me: ${2//[^ -~]/?}" >&2 # an argument may contain control characters for the terminal
  exit "$1"
}

sha256() { if command -v sha256sum > /dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1; }
size() { if [ -f "$1" ]; then wc -c < "$1" | tr -d ' '; else echo 0; fi; }

find_proxy() { # sets proxy to the proxy that curl uses for this host, without name and password
  case $host in
    https:*) proxy=${https_proxy:-${HTTPS_PROXY:-${all_proxy:-${ALL_PROXY:-}}}} ;;
    *) proxy=${http_proxy:-${all_proxy:-${ALL_PROXY:-}}} ;;
  esac
  proxy=$(sed 's:[^/]*@::' <<< "$proxy")
}

# Makes curl print the status of the host's answer, and the status of the proxy's answer to the request to connect.
answered=(--suppress-connect-headers --write-out '\nanswered %{http_code} %{http_connect}\n')

status() { # CURL_OUTPUT: prints the status of the host or, if the proxy refused, the status of the proxy
  local host_said proxy_said
  read -r host_said proxy_said <<< "$(sed -n 's/^answered //p' <<< "$1")" || true
  if [ "${proxy_said:-0}" -ge 400 ]; then echo "$proxy_said"; else echo "${host_said:-0}"; fi
}

reason() { # CURL_CODE STATUS: prints the reason of a failure in words
  local through=
  [ -z "$proxy" ] || through=", through the proxy $proxy"
  case $1 in
    5) echo "the proxy $proxy cannot be found" ;;
    6) echo "the name cannot be resolved: this machine may be offline, or behind a proxy (set https_proxy)" ;;
    7)
      if [ -n "$proxy" ]; then
        echo "the proxy $proxy does not answer"
      else
        echo "nothing answers there: this machine may be offline, or behind a proxy (set https_proxy)"
      fi
      ;;
    28) echo "no data came for $patience seconds$through; run the command again to continue the download" ;;
    35 | 60) echo "the host's certificate cannot be trusted; a proxy may intercept the connection" ;;
    *)
      case $2 in
        407) echo "the proxy $proxy requires a name and a password: https_proxy=http://NAME:PASSWORD@HOST:PORT" ;;
        4?? | 5??) echo "the request was refused with status $2$through" ;;
        *)
          case $1 in
            18 | 52 | 55 | 56) echo "the connection was cut$through; run the command again to continue the download" ;;
            *) echo "curl failed with code $1" ;;
          esac
          ;;
      esac
      ;;
  esac
}

# Sets declared_size, by which a download is known to be complete, from the answer to a HEAD request. For a large file, the host's first answer, a
# redirect to a file server, states the size. The host has no influence on the SHA-256 that the file must have.
declare_size() { # URL
  local headers code=0
  headers=$(curl -sS --fail --head --max-time "$patience" "${answered[@]}" "$1" 2> /dev/null) || code=$?
  [ $code -eq 0 ] || fail 4 "cannot reach $1: $(reason $code "$(status "$headers")")"
  header() { tr -d '\r' <<< "$headers" | sed -n "s/^$1: *\([0-9]\{1,15\}\)\$/\1/Ip" | tail -1; }
  declared_size=$(header x-linked-size)
  if [ -z "$declared_size" ] && [[ $(status "$headers") = 2?? ]]; then # otherwise it is the length of a page that redirects
    declared_size=$(header content-length)
  fi
}

is_right() { # FILE: whether a file has the declared size and the expected SHA-256
  [ -z "$declared_size" ] || [ "$(size "$1")" = "$declared_size" ] || return 1
  [ "$(sha256 "$1")" = "$right" ]
}

# Continues a download, and appends the data to the file PART. Sets code (curl's exit code) and said (the status).
download() { # URL PART
  local show=(--silent) output
  [ ! -t 2 ] || show=(--progress-bar)
  code=0
  output=$(curl --location --fail "${show[@]}" "${answered[@]}" --connect-timeout "$patience" --speed-limit 1 \
    --speed-time "$patience" --continue-at - --output "$2" "$1") || code=$?
  said=$(status "$output")
}

fetch() { # FILE PATH_ON_HOST SHA256 [SIZE]: downloads a file; without the argument SIZE, asks the host for the size
  local file=$1 name=${1##*/} url=$host/$2 right=$3 part=$1.part
  local before pieces=0 idle=0 again=0
  declared_size=${4:-}
  if [ -f "$file" ] && is_right "$file"; then
    echo "$me: $name is there already" >&2
    return
  fi
  command -v curl > /dev/null || fail 2 "curl is missing (Debian: apt install curl)"
  find_proxy
  [ $# -gt 3 ] || declare_size "$url"
  { mkdir -p "$(dirname "$file")" && : >> "$part"; } 2> /dev/null || fail 6 "cannot write $part"
  # The lock is a link, which is made in one step; its target is the id of the process. The lock of a killed run is replaced.
  if ! ln -s $$ "$part.lock" 2> /dev/null; then
    ! kill -0 "$(readlink "$part.lock")" 2> /dev/null \
      || fail 6 "cannot write $part: process $(readlink "$part.lock") downloads it already. If this is not so, delete $part.lock"
    ln -sfn $$ "$part.lock"
  fi
  # shellcheck disable=SC2064 # the present value of part
  trap "rm -f $(printf %q "$part.lock")" EXIT
  [ ! -s "$part" ] || pieces=2 # an earlier run left data, possibly of another file
  echo "$me: $name, ${declared_size:-?} bytes from $host ..." >&2
  until is_right "$part"; do
    before=$(size "$part")
    code=0 said=0
    if [ -z "$declared_size" ] || [ "$before" -lt "$declared_size" ]; then
      download "$url" "$part"
      pieces=$((pieces + 1))
      is_right "$part" && break
    fi
    # The host or a proxy has refused the request; the data so far is kept. Status 416 means that no data follows, and is handled below.
    [[ $said != [45]?? || $said = 416 ]] || fail 4 "cannot fetch $url: $(reason $code "$said")"
    case $code in
      18 | 28 | 52 | 55 | 56) # the connection was cut: continue as long as data comes
        if [ "$(size "$part")" -gt "$before" ]; then idle=0; else idle=$((idle + 1)); fi
        [ $idle -lt 4 ] || fail 4 "cannot fetch $url: $(reason $code "$said")"
        ;;
      0 | 22 | 33 | 36) # the file is complete but wrong, or the host cannot continue in the middle of it
        [ "$(sha256 "$part")" != "$right" ] || break # the file is right, only the declared size was wrong
        rm -f "$part"
        { [ $pieces -gt 1 ] && [ $again -lt 2 ]; } \
          || fail 5 "the file that came for $name is another file: its SHA-256 is not $right. The file was deleted"
        again=$((again + 1)) pieces=0
        ;;
      23) fail 6 "cannot write $part" ;;
      *) fail 4 "cannot fetch $url: $(reason $code "$said")" ;;
    esac
  done
  mv -f "$part" "$file"
  rm -f "$part.lock"
  echo "$me: $name is complete, and its SHA-256 is right" >&2
}

unpack() { # ARCHIVE FOLDER: unpacks the archive's only folder as FOLDER, in one step, and deletes the archive
  local new=$2.new.$$
  rm -rf "$new" && mkdir -p "$new" || fail 6 "cannot write $new"
  tar -xzf "$1" -C "$new" --strip-components=1 || fail 6 "cannot unpack $1 into $new"
  rm -rf "$2" && mv "$new" "$2" && rm -f "$1" || fail 6 "cannot write $2"
}
