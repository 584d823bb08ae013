#!/bin/sh
# Makes the environment of Python in which the benchmarks look for peers: beside what cargo builds.
set -eu
here=$(dirname "$0")
environment=${CARGO_TARGET_DIR:-$here/../../target}/peers
python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --requirement "$here/requirements.txt"
