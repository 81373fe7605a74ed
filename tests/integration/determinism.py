#!/usr/bin/env python3
# Times nothing: may run beside others.
"""history_hash is equal for 1, 2 and 8 lanes and under two settings of glibc's processor tunables,
for a search over a function with failures and duels; another seed gives another history."""
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from program import fresh_folder, must, show, write  # noqa: E402

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
TUNABLES = [{}, {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-AVX2,-FMA,-AVX512F,-AVX512VL"}]


def history(name, override, **variables):
    must("run", "config.yaml", "-o", name, override, **variables)
    shown = show(name)
    assert shown["evaluations"] == 200, shown
    return shown["history_hash"]


def main():
    fresh_folder("determinism")
    write({"config.yaml": CONFIG})
    hashes = {}
    for t, tunables in enumerate(TUNABLES):
        for lanes in (1, 2, 8):
            hashes[lanes, t] = history(f"lanes{lanes}_{t}", f"device.lanes={lanes}", **tunables)
    assert len(set(hashes.values())) == 1, hashes
    other = history("seed2", "seed=2")
    assert other not in hashes.values()
    print(f"6 runs with 1, 2 and 8 lanes under 2 tunables: {hashes[1, 0][:12]}; seed 2: {other[:12]}")


if __name__ == "__main__":
    main()
