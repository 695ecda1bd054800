#!/bin/sh
# Prepares a new server for standbys; the image runs it once, before others can connect.
set -eu
echo "host replication $POSTGRES_USER all scram-sha-256" >>"$PGDATA/pg_hba.conf"
# Written down, not reloaded: the first commits here would wait for standbys that are not there yet.
psql --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --set=ON_ERROR_STOP=1 \
  --command="alter system set synchronous_standby_names = 'ANY 1 (db1, db2, db3)'"
