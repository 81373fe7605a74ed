#!/bin/sh
# Times nothing: may run beside others.
# Fetches the server program, and lets the client talk to it. Without npm, its registry or a Node.js that the program
# runs on, the test says so and is skipped.
set -e
here=$(cd "$(dirname "$0")" && pwd)
command -v npm > /dev/null || { echo "npm is missing"; exit 77; }
cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$here/server.mjs" .
npm ci --no-audit --no-fund > npm.log 2>&1 || { echo "npm could not fetch the server program:"; tail -3 npm.log; exit 77; }
exec "$here/exchanges.py"
