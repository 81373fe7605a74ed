#!/bin/sh
# Judges the claims of a tier (smoke, replay or full) and writes tables and figures into OUT.
exec "$(dirname "$0")/../reproduce.sh" llm_attribution "$@"
