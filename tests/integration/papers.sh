#!/bin/sh
# Times nothing: may run beside others.
# Every study's smoke tier passes and leaves its table; what the data contradict is FAIL as a claim, REFUTED as a
# prediction, and a changed claim gives another hash.
set -eu
export PYTHONDONTWRITEBYTECODE=1

check() { # WANTED_EXIT WANTED_WORD TIER
  status=0
  "$KE_SOURCE/papers/check_claims.py" "$PWD/wrong" "$3" >answer || status=$?
  if [ "$status" != "$1" ] || ! grep -q "$2" answer; then
    echo "check_claims $3: wanted exit $1 and '$2', got exit $status and:"
    cat answer
    exit 1
  fi
}

rm -rf ./*
for script in "$KE_SOURCE"/papers/*/reproduce.sh; do
  name=$(basename "$(dirname "$script")")
  OUT=$PWD/$name "$script" smoke
  ls "$name"/*.md "$name"/*.csv >/dev/null
done

mkdir wrong
cat >wrong/claims.yaml <<'END'
study: wrong
hash: unknown
claims:
  - id: one
    claim: "one is two"
    command: "echo 1"
    low: 2
    high: 2
    tiers: "smoke"
    minutes: 0
END
"$KE_SOURCE/papers/kernelbench/table.py" --check "$KE_SOURCE/papers/kernelbench/README.md" || {
  echo "papers/kernelbench/README.md differs from what table.py prints"
  exit 1
}

hash=$("$KE_SOURCE/papers/check_claims.py" wrong hash)
sed -i "s/unknown/$hash/" wrong/claims.yaml
cp wrong/claims.yaml wrong/predictions.yaml
check 1 "^FAIL one: one is two: 1 not in \[2, 2\]" smoke
check 0 "^REFUTED one: one is two: 1 not in \[2, 2\]" predictions
sed -i "s/low: 2/low: 1/" wrong/claims.yaml wrong/predictions.yaml
check 1 "^FAIL hash" smoke
check 1 "^FAIL hash" predictions
sed -i "s/echo 1/false/" wrong/predictions.yaml
check 1 "^FAIL one: one is two: the command ended with 1" predictions
