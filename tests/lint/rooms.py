#!/usr/bin/env python3
"""The picture of the rooms in core/walk.md shows the includes that the code has. `rooms.py --write` draws it anew."""
import collections
import sys

import tree
from includes import INCLUDE

PAGE = tree.ROOT / "core/walk.md"
BEGIN, END = "<!-- drawn by tests/lint/rooms.py -->\n", "<!-- end of the picture -->\n"
DOES = {"core": "nouns, interfaces, search loop", "archive": "MAP-Elites archives, run file",
        "operators": "propose kernels", "fitness": "compiles, checks, times", "experiments": "command line, assembly"}


def arrows():
    """{(room, room): files of the first that include the second}"""
    count = collections.Counter()
    for path in tree.files(".hpp", ".cpp", rooms=DOES):
        used = {found.group(2).split("/")[0] for found in map(INCLUDE.match, tree.text(path).splitlines()) if found}
        count.update((path.parts[0], room) for room in used & DOES.keys() - {path.parts[0]})
    return count


def picture():
    lines = ["```mermaid", "flowchart TD"]
    lines += [f'  {room}["{room}: {does}"]' for room, does in DOES.items()]
    lines += [f"  {user} --> {used}" for user, used in sorted(arrows())]
    return "\n".join([*lines, "```", ""])


def main():
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    old, _, after = rest.partition(END)
    if "--write" in sys.argv:
        PAGE.write_text(before + BEGIN + picture() + END + after, encoding="utf-8")
        return
    tree.report([] if old == picture() else [f"{PAGE}: the picture is out of date; run {sys.argv[0]} --write"], "rooms")


if __name__ == "__main__":
    main()
