#!/usr/bin/env python3
"""Writes a page for each verb, and a list of them, from what the program declares (`kernelevolve list verbs --json`).

    experiments/docs/write.py BINARY [FOLDER]     into this folder unless another is named
"""
import json
import pathlib
import subprocess
import sys

PAGE = """# kernelevolve {name}

{summary}

    kernelevolve {name} {positionals}[options]

{details}

| option | type | range | default | does |
|---|---|---|---|---|
{options}

## Example

    {example}

In the root of the tree, with `build/release` in `PATH`, after the examples of the verbs that the
[list](README.md) names before it.

## Exit codes

| code | meaning |
|---|---|
{exit_codes}
"""
LIST = """# Verbs

A page for each verb of the command line, written by [write.py](write.py) from what the program declares. A test fails
when a page is out of date, or its example does not run.

| verb | does |
|---|---|
{verbs}

Written by hand, on what takes more than one verb: [one search over several hosts](several_hosts.md),
[sweeps on Slurm](slurm.md).
"""


def row(*cells):
    return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def sentence(text):
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")


def option_row(option):
    letter = f", `-{option['letter']}`" if option["letter"] else ""
    value = f" {option['value']}" if option["value"] else ""
    default = f"`{option['default']}`" if option["default"] else ""
    return row(f"`--{option['name']}{value}`{letter}", option["type"], option["range"], default, option["doc"])


def page(verb):
    fields = dict(verb, summary=sentence(verb["summary"]),
                  positionals=verb["positionals"] + " " if verb["positionals"] else "",
                  options="\n".join(map(option_row, verb["options"])),
                  example=verb["example"].replace("\n", "\n    "),
                  exit_codes="\n".join(row(one["code"], one["meaning"]) for one in verb["exit_codes"]))
    return PAGE.format(**fields)


def main():
    binary, *folder = sys.argv[1:]
    folder = pathlib.Path(folder[0] if folder else pathlib.Path(__file__).parent)
    listed = subprocess.run([binary, "list", "verbs", "--json"], check=True, capture_output=True, text=True)
    verbs = json.loads(listed.stdout)["verbs"]
    for verb in verbs:
        (folder / f"{verb['name']}.md").write_text(page(verb))
    rows = (row(f"[{verb['name']}]({verb['name']}.md)", verb["summary"]) for verb in verbs)
    (folder / "README.md").write_text(LIST.format(verbs="\n".join(rows)))


if __name__ == "__main__":
    main()
