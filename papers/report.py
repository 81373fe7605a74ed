#!/usr/bin/env python3
"""Writes into OUT the tables and figures of a study's sweeps: report.py STUDY TIER.

effects     every arm against its reference, all sweeps together
choices     for each sweep and kernel, the arm that the other kernels choose, and its effect on this one
ranks       average rank of each arm over the kernels, and the difference that matters [Demsar2006]
<sweep>     best objective over evaluations, mean over kernels
"""
import sys

import study


def main():
    name, tier = sys.argv[1:]
    sweeps = study.sweeps_of(name)
    effects = study.effects_of(name, sweeps, tier)
    study.write_table("effects", effects)
    study.write_table("choices", [row for sweep in sweeps for row in study.choices_of(name, sweep, tier)])
    study.write_table("ranks", [row for sweep in sweeps for row in study.ranks_of(name, sweep, tier)])
    study.write_figure("effects", "effects", effects)
    for sweep in sweeps:
        study.write_figure("curves", sweep, study.mean_curves(name, sweep, tier))


if __name__ == "__main__":
    main()
