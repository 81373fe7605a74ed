#!/bin/sh
# Judges the claims of a tier (smoke, replay or full) and writes tables into OUT.
exec "$(dirname "$0")/../reproduce.sh" trajectory_freezing "$@"
