#!/bin/sh
# Fetches the providers' own Python packages, whose types say what their APIs take and give. Without them the test says so
# and is skipped.
# Times nothing: may run beside others.
set -e
here=$(cd "$(dirname "$0")" && pwd)
python3 -m venv packages > venv.log 2>&1 || { echo "python3-venv is missing"; exit 77; }
packages/bin/pip install -q -r "$here/packages.txt" > pip.log 2>&1 ||
  { echo "pip could not fetch the providers' packages:"; tail -3 pip.log; exit 77; }
exec packages/bin/python "$here/conversations.py"
