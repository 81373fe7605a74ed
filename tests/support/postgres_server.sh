#!/usr/bin/env bash
# A PostgreSQL server of its own in a folder, for tests. It listens on a socket in the folder, and on ADDRESS when given.
# usage: postgres_server.sh start FOLDER [ADDRESS PORT] | stop FOLDER | kill FOLDER
# `start` prints the address of its database; it makes the server when the folder is new. `kill` is kill -9 of all its
# processes. Exit code 77, with the reason, where this machine cannot run one.
set -euo pipefail
verb=${1:?usage} folder=$(realpath -m "${2:?usage}") address=${3:-} port=${4:-5432}

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -n "$bin" ] || bin=$(dirname "$(command -v pg_ctl || true)")
[ -x "$bin/initdb" ] || { echo "SKIP: no PostgreSQL server (postgresql-15) is installed"; exit 77; }
as=()
if [ "$(id -u)" = 0 ]; then  # initdb refuses root
  id postgres >/dev/null 2>&1 || { echo "SKIP: root has no user 'postgres' to run a server as"; exit 77; }
  as=(runuser -u postgres --)
fi

start() {
  mkdir -p "$folder"
  [ "$(id -u)" != 0 ] || chown postgres "$folder"
  cd "$folder"
  if [ ! -e data/PG_VERSION ]; then
    "${as[@]}" "$bin/initdb" -D data -A trust -U kernelevolve -E UTF8 --no-locale >initdb.log 2>&1 ||
      { tail -n 5 initdb.log; exit 1; }
    echo "host all all samenet trust" | "${as[@]}" tee -a data/pg_hba.conf >/dev/null
  fi
  # After kill -9 the old processes may take a moment to end.
  for _ in $(seq 40); do
    "${as[@]}" "$bin/pg_ctl" -D data -s -w -l server.log start \
      -o "-k $folder -p $port -c listen_addresses='$address' -c max_connections=${MAX_CONNECTIONS:-100}" >/dev/null 2>&1 && break
    sleep 0.25
  done
  "${as[@]}" "$bin/createdb" -h "$folder" -p "$port" -U kernelevolve kernelevolve 2>/dev/null || true
  "${as[@]}" "$bin/psql" -h "$folder" -p "$port" -U kernelevolve -d kernelevolve -Atqc "SELECT 1" >/dev/null ||
    { tail -n 5 server.log; exit 1; }
  echo "postgresql://kernelevolve@/kernelevolve?host=$folder&port=$port"
}

case $verb in
  start) start ;;
  stop) cd "$folder" && "${as[@]}" "$bin/pg_ctl" -D data -s -m immediate stop ;;
  kill)
    parent=$(head -n 1 "$folder/data/postmaster.pid")
    kill -9 "$parent" $(pgrep -P "$parent" || true) 2>/dev/null || true ;;
  *) sed -n 's/^# usage/usage/p' "$0" >&2; exit 2 ;;
esac
