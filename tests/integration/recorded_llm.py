#!/usr/bin/env python3
# Times nothing: may run beside others.
"""The recorded search with a language model that ships with the project: whole, without secrets, and it replays to its
printed hash with no socket opened and no compiler started."""
import re
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from program import RECORDINGS, fresh_folder, json_of, must, skip, unpack_recording, verify_offline  # noqa: E402

FOLDER = fresh_folder("recorded_llm")


def printed_hash():
    return re.search(r"history `([0-9a-f]{64})`", (RECORDINGS / "README.md").read_text()).group(1)


def traffic_is_whole(cassette, run):
    checked = json_of("cassette", "verify", cassette)
    assert checked["ok"] and checked["exchanges"] >= 60, checked
    exported = FOLDER / "exported.jsonl"
    must("cassette", "export", run, "-o", exported)
    lines = [line for line in cassette.read_text().splitlines() if not line.startswith("#")]
    assert sorted(exported.read_text().splitlines()) == sorted(lines), "the cassette is not the run's"


def main():
    run = unpack_recording("softmax-llm.kev", FOLDER)
    traffic_is_whole(unpack_recording("softmax-llm.jsonl", FOLDER), run)
    history, traced = verify_offline(run)
    assert history == printed_hash(), history
    if not traced:
        skip("strace is missing: only the hash was checked")


if __name__ == "__main__":
    main()
