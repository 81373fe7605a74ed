#!/usr/bin/env python3
# Times nothing: may run beside others.
"""history_hash is equal for 1, 2 and 8 lanes and under two settings of glibc's processor tunables,
for a search over a function with failures and duels; another seed gives another history."""

import json
import os
import pathlib
import shutil
import subprocess

BINARY = os.environ["KERNELEVOLVE"]
FOLDER = pathlib.Path("determinism")
CONFIG = """schema: kernelevolve/1
name: determinism
seed: 1
budget: {evaluations: 200}
device: {kind: function, function: rastrigin, dimensions: 8, failures: 0.1, noisy: true, delay_us: 300}
islands: {count: 3, lag: 2, topology: ring, migration: {every: 5, migrants: 2}}
archive:
  kind: grid
  axes:
    - {measure: m0, low: -1, high: 1, bins: 8}
    - {measure: m1, low: -1, high: 1, bins: 8}
operators: {knob_step: 4, knob_crossover: 2, random_restart: 1}
"""
# Two code paths of the C library's mathematics: with and without AVX2 and FMA.
TUNABLES = ["", "glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-AVX2,-FMA,-AVX512F,-AVX512VL"]


def history(name, overrides, tunables):
    folder = FOLDER / name
    environment = dict(os.environ)
    if tunables:
        environment["GLIBC_TUNABLES"] = tunables
    subprocess.run([BINARY, "run", str(FOLDER / "config.yaml"), "-o", str(folder)] + overrides,
                   check=True, env=environment, stdout=subprocess.DEVNULL)
    shown = json.loads(subprocess.check_output([BINARY, "show", str(folder), "--json"]))["runs"][0]
    assert shown["evaluations"] == 200, shown
    return shown["history_hash"]


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    (FOLDER / "config.yaml").write_text(CONFIG)
    hashes = {}
    for t, tunables in enumerate(TUNABLES):
        for lanes in (1, 2, 8):
            hashes[lanes, t] = history(f"lanes{lanes}_{t}", [f"device.lanes={lanes}"], tunables)
    assert len(set(hashes.values())) == 1, hashes
    other = history("seed2", ["seed=2"], "")
    assert other not in hashes.values()
    print(f"6 runs with 1, 2 and 8 lanes under 2 tunables: {hashes[1, 0][:12]}; seed 2: {other[:12]}")


if __name__ == "__main__":
    main()
