#!/usr/bin/env python3
"""Optuna's TPE sampler as a strategy. Needs the Python package `optuna`; see core/strategies/command.cpp.

Knobs and flags are categorical. Kernels that fail count as the worst seen; what others made is told too.
"""
import json
import sys

import optuna
from optuna.distributions import CategoricalDistribution


class Tpe:
    def __init__(self, seed):
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
        self.spaces, self.known, self.worst = {}, None, 0.0

    def distributions(self, source):
        space = self.spaces[source]
        knobs = {knob["name"]: CategoricalDistribution(knob["values"]) for knob in space["knobs"]}
        flags = {f"flag {i}": CategoricalDistribution(values) for i, values in enumerate(space["flags"])}
        return knobs | flags

    def tell(self, told):
        space = told.get("space", {})
        if "knobs" in space:
            self.spaces[space["source"]] = space
        if not space or told["outcome"] != "kernel":
            return
        works = told["verdict"] == "ok"
        if works:
            self.known = (told["id"], space["source"])
            self.worst = min(self.worst or told["objective"], told["objective"])
        params = told["knobs"] | {f"flag {i}": flag for i, flag in enumerate(told["flags"])}
        self.study.add_trial(optuna.trial.create_trial(
            params=params, distributions=self.distributions(space["source"]),
            value=told["objective"] if works else self.worst))

    def ask(self):
        of, source = self.known
        trial = self.study.ask(self.distributions(source))
        knobs = {knob["name"]: trial.params[knob["name"]] for knob in self.spaces[source]["knobs"]}
        flags = [trial.params[f"flag {i}"] for i in range(len(self.spaces[source]["flags"]))]
        return {"of": of, "knobs": knobs, "flags": flags}


def main():
    tpe = None
    for line in sys.stdin:
        message, answer = json.loads(line), {}
        if "start" in message:
            tpe = Tpe(message["start"]["random"])
        elif "tell" in message:
            tpe.tell(message["tell"])
        else:
            answer = tpe.ask()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
