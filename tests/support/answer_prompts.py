#!/usr/bin/env python3
"""Stands in for a language model: reads a request (JSON) and writes a reply that fits its operator and the task axpb.

Mutations answer with a diff, of which some do not apply and some do not compile; drafts and crossovers with a whole
file; repairs with a diff. What it says depends on the request's key alone.

usage: answer_prompts.py                 request on standard input, reply on standard output
       answer_prompts.py --refuse FILE   the same, but without credit while FILE exists; writes JSON
       answer_prompts.py --mailbox FOLDER [SECONDS]  answers every request in a folder, for that long; twice now and then
"""
import json
import os
import pathlib
import sys
import time

CHANGE = "<<<<<<< SEARCH\n#include <cstddef>\n=======\n#include <cstddef>\n{}\n>>>>>>> REPLACE\n"
FILE = """One loop.
```cpp
// @flags -O3 -march=native; -funroll-loops?
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {{
#pragma GCC unroll {}
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}}
```
"""


def answer(request):
    operator = request["messages"][0]["text"].split()[1]
    number = int(request["key"][:8], 16)
    first_try = len(request["messages"]) == 2
    if operator in ("llm_draft", "llm_crossover"):
        return FILE.format(1 + number % 8)
    if operator == "llm_mutation" and first_try and number % 3 == 0:
        return "<<<<<<< SEARCH\nno such line\n=======\nx\n>>>>>>> REPLACE\n"
    if operator == "llm_mutation" and number % 3 == 1:
        return CHANGE.format(f"int broken{number % 97} = nothing;")
    return CHANGE.format(f"// {number % 7}")


def serve(folder, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for path in list(folder.glob("*.request.json")):
            reply = path.with_name(path.name.replace(".request.json", ".reply.txt"))
            done = folder / "done" / reply.name
            try:
                request = json.loads(path.read_text())
            except FileNotFoundError:  # answered and filed away
                continue
            again = int(request["key"][:2], 16) % 4 == 0  # sends an answer twice
            if reply.exists() or (done.exists() and not again):
                continue
            draft = folder / f".{reply.name}"
            draft.write_text(answer(request))
            os.rename(draft, reply)
        time.sleep(0.05)


def main(arguments):
    if arguments[:1] == ["--mailbox"]:
        return serve(pathlib.Path(arguments[1]), float(arguments[2]) if len(arguments) > 2 else 60)
    request = json.load(sys.stdin)
    if arguments[:1] == ["--refuse"]:
        refused = os.path.exists(arguments[1])
        print(json.dumps({"reply": "no credit is left", "status": "provider_refused"} if refused else
                         {"reply": answer(request)}))
    else:
        print(answer(request), end="")


if __name__ == "__main__":
    main(sys.argv[1:])
