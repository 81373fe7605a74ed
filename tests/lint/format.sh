#!/usr/bin/env bash
# clang-format has nothing to change. `tests/lint/format.sh --fix` lets it change.
# Kernels and references below configs/, papers/ and tests/golden/tasks are left as their authors laid them out.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v clang-format >/dev/null || { echo "SKIP: clang-format is not installed"; exit 77; }
mode=(--dry-run -Werror)
[ "${1:-}" != --fix ] || mode=(-i)
git -c safe.directory='*' ls-files -coz --exclude-standard -- '*.hpp' '*.cpp' ':!configs' ':!papers' ':!tests/golden/tasks' |
  xargs -0 -P "$(nproc)" -n 40 clang-format "${mode[@]}"
