#!/usr/bin/env bash
# A tour of a personal key's routes with nothing but curl: list, search, complete a task.
#   MINUTES_URL=http://127.0.0.1:3000 MINUTES_API_KEY=jk_… ./tour.sh
set -euo pipefail
: "${MINUTES_URL:=http://127.0.0.1:3000}" "${MINUTES_API_KEY:?Set it to a personal key.}"

# read meetings.list '{"limit":5}'
read_() {
  curl -sS --fail-with-body -H "x-api-key: $MINUTES_API_KEY" -G "$MINUTES_URL/v1/me/$1" \
    --data-urlencode "input={\"json\":${2:-"{}"}}"
  echo
}

# write tasks.update '{"taskId":"…","completed":true}'
write_() {
  curl -sS --fail-with-body -H "x-api-key: $MINUTES_API_KEY" -H "content-type: application/json" \
    "$MINUTES_URL/v1/me/$1" -d "{\"json\":$2}"
  echo
}

echo "== the five newest meetings"
read_ meetings.list '{"limit":5}'

echo "== what was said about alarms"
read_ meetings.search '{"query":"why was there no alarm at night"}'

echo "== an open task, completed and reopened"
task=$(read_ tasks.list '{"completed":false,"limit":1}' | sed -n 's/.*"tasks":\[{"id":"\([^"]*\)".*/\1/p')
if [ -n "$task" ]; then
  write_ tasks.update "{\"taskId\":\"$task\",\"completed\":true}"
  write_ tasks.update "{\"taskId\":\"$task\",\"completed\":false}"
fi
