#!/usr/bin/env python3
"""The pictures of the rooms show the includes that the code has. `rooms.py --write` draws them anew."""
import sys

import tree
from includes import INCLUDE

BEGIN, END = "<!-- drawn by tests/lint/rooms.py -->\n", "<!-- end of the picture -->\n"
# Per picture: its page, the folder of the rooms, what each room does.
PICTURES = [
    ("core/walk.md", (), {
        "core": "nouns, interfaces, search loop", "archive": "MAP-Elites archives, run file", "operators": "propose kernels",
        "fitness": "compiles, checks, times", "experiments": "command line, assembly"}),
    ("experiments/README.md", ("experiments",), {
        "cli": "verbs and their arguments", "dispatch": "libraries and PyTorch operators", "view": "reports, figures, live page",
        "study": "sweeps, comparison, statistics", "run": "YAML, devices, one run", "text": "tables, CSV, JSON"}),
]


def room_of(parts, folder, rooms):
    """The room below the folder that a path belongs to, or None."""
    inside = len(parts) > len(folder) and tuple(parts[:len(folder)]) == folder
    return parts[len(folder)] if inside and parts[len(folder)] in rooms else None


def arrows(folder, rooms):
    """{(room, other room)}: files of the first include files of the other"""
    found = set()
    for path in tree.files(".hpp", ".cpp", rooms=folder or rooms):
        room = room_of(path.parts, folder, rooms)
        includes = filter(None, map(INCLUDE.match, tree.text(path).splitlines() if room else []))
        found |= {(room, room_of(include.group(2).split("/"), folder, rooms)) for include in includes}
    return sorted((room, used) for room, used in found if used not in (None, room))


def picture(folder, rooms):
    lines = ["```mermaid", "flowchart TD"]
    lines += [f'  {room}["{room}: {does}"]' for room, does in rooms.items()]
    lines += [f"  {user} --> {used}" for user, used in arrows(folder, rooms)]
    return "\n".join([*lines, "```", ""])


def main():
    findings = []
    for name, folder, rooms in PICTURES:
        page = tree.ROOT / name
        before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
        old, _, after = rest.partition(END)
        new = picture(folder, rooms)
        if "--write" in sys.argv:
            page.write_text(before + BEGIN + new + END + after, encoding="utf-8")
        elif old != new:
            findings.append(f"{name}: the picture is out of date; run {sys.argv[0]} --write")
    tree.report(findings, "rooms")


if __name__ == "__main__":
    main()
