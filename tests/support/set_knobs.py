#!/usr/bin/env python3
"""Stands in for language models on functions: reads a request (JSON), writes a reply (JSON) that fixes one knob of the
parent. What it says depends on the request's messages and model alone; with --moody it is something else each time.

The model `sharp` knows the optimum of the sphere and writes 4000 tokens; `cheap` knows it too and writes 100. `dull`
gives each knob the worst value, and any other guesses; both write 100.
"""
import hashlib
import json
import os
import re
import sys

LEVELS = 33


def main():
    request = json.load(sys.stdin)
    told = json.dumps([request["messages"], request["model"]]).encode()
    mood = str(os.getpid()) if "--moody" in sys.argv else ""
    number = int(hashlib.sha256(told + mood.encode()).hexdigest()[:12], 16)
    parent = request["messages"][1]["text"].split("## Parent")[1].split("```")[1]
    knobs = re.findall(r"^// @knob \w+ int \{.*$", parent, re.MULTILINE)
    line = knobs[number % len(knobs)]
    values = {"sharp": LEVELS // 2, "cheap": LEVELS // 2, "dull": 0}
    value = values.get(request["model"], number // len(knobs) % LEVELS)
    fixed = re.sub(r"\{.*", f"{{{value}}} = {value}", line)
    tokens = 4000 if request["model"] == "sharp" else 100
    print(json.dumps({"reply": f"{mood}\n<<<<<<< SEARCH\n{line}\n=======\n{fixed}\n>>>>>>> REPLACE\n",
                      "model": request["model"], "tokens": {"input": 0, "output": tokens}}))


if __name__ == "__main__":
    main()
