#!/usr/bin/env python3
"""Writes the pages that the program and the SQL schema determine, the list of all pages, and the footer of those that
are written by hand.

    experiments/docs/write.py BINARY [FOLDER]     into this folder unless another is named
"""
import json
import pathlib
import re
import sqlite3
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ARCHIVE = HERE.parents[1] / "archive"
# Title of a group and its pages, in the order of the list; those that are missing are left out, all others follow "How to".
GROUPS = {
    "Tutorials": ["tutorial_module", "tutorial_kernel", "tutorial_language_model", "tutorial_ablation"],
    "How to": ["writing_sweeps", "several_devices", "several_hosts", "slurm", "libraries", "torch_operators", "results_in_python",
               "extend", "your_chip", "install"],
    "Explanation": ["judge", "checked_inputs", "noise", "comparisons", "determinism", "map_elites"],
    "Reference": ["glossary", "backends", "options", "sweep_keys", "exit_codes", "json_fields", "tables"],
}
FOOTER = "\n\n---\n\nTerms are explained in the [glossary]({up}glossary.md); [all pages]({up}README.md).\n"
VERB = """# kernelevolve {name}

{summary}

    kernelevolve {name} {positionals}[options]

{details}

| option | type | range | default | does |
|---|---|---|---|---|
{options}

## Example

    {example}

In the root of the tree, with `build/release` in `PATH`, after the examples of the verbs that the
[list](README.md#verbs) names before it.

## Exit codes

| code | meaning |
|---|---|
{exit_codes}
"""
LIST = """# Documentation

{groups}

## Verbs

A page for each verb of the command line, in the words of its `--help`.

| verb | does |
|---|---|
{verbs}

[write.py](write.py) writes this list, the pages of verbs, and options, sweep keys, exit codes and tables, from what the program
and the schema declare. A test fails when one of them is out of date, when an example or a command of a tutorial does not
run, or when a link is dead. `mkdocs build -f experiments/mkdocs.yml -d SITE` makes a site of all pages.
"""


def row(*cells):
    return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def table(head, rows):
    return "\n".join([row(*head), "|" + "---|" * len(head), *rows])


def sentence(text):
    return text and text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")


def code(text):
    return f"`{text}`" if text else ""


def listed(binary, topic):
    done = subprocess.run([binary, "list", topic, "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)[topic]


def option_row(option):
    letter = f", `-{option['letter']}`" if option["letter"] else ""
    value = f" {option['value']}" if option["value"] else ""
    return row(f"`--{option['name']}{value}`{letter}", option["type"], option["range"], code(option["default"]),
               option["doc"])


def verb_page(verb):
    fields = dict(verb, summary=sentence(verb["summary"]),
                  positionals=verb["positionals"] + " " if verb["positionals"] else "",
                  options="\n".join(map(option_row, verb["options"])),
                  example=verb["example"].replace("\n", "\n    "),
                  exit_codes="\n".join(row(one["code"], one["meaning"]) for one in verb["exit_codes"]))
    return VERB.format(**fields)


def keys_table(options):
    rows = (row(code(one["name"]), one["type"], one["range"], code(one["default"]), one["doc"]) for one in options)
    return table(("key", "type", "range", "default", "does"), rows)


def section_of(option):
    """`operators.llm_draft` of operators.llm_draft.retries, the first word of all other keys with a dot."""
    words = option["name"].split(".")
    return ".".join(words[:2]) if words[0] == "operators" and len(words) > 2 else words[0] if len(words) > 1 else ""


def options_page(options):
    sections = {}
    for option in options:
        sections.setdefault(section_of(option), []).append(option)
    text = "# Options\n\nThe keys of an experiment (`schema: kernelevolve/1`), as `kernelevolve list options` prints them. "
    text += "On the command line `a.b=1` sets one. Every key has a default; where the table has none it is empty. "
    text += "Keys of tasks are in [configs/tasks](../../configs/tasks/README.md#taskyaml).\n\n"
    text += keys_table(sections.pop(""))
    for name, members in sections.items():
        text += f"\n\n## {name}\n\n{keys_table(members)}"
    return text + "\n"


def sweep_page(keys):
    return ("# Keys of a sweep\n\nThe keys of a sweep (`schema: kernelevolve-sweep/1`), as `kernelevolve list sweep` prints them. "
            "[Writing a sweep](writing_sweeps.md) explains how they work together.\n\n" + keys_table(keys) + "\n")


def exit_codes_page(verbs):
    meanings, users = {}, {}
    for verb in verbs:
        for one in verb["exit_codes"]:
            meanings[one["code"]] = one["meaning"]
            users.setdefault(one["code"], []).append(f"[{verb['name']}]({verb['name']}.md)")
    rows = (row(number, meanings[number], "all" if len(users[number]) == len(verbs) else ", ".join(users[number]))
            for number in sorted(meanings))
    return f"# Exit codes\n\n{table(('code', 'meaning', 'verbs'), rows)}\n"


def comments_above(schema, kind):
    """Name and the comment that stands above or beside CREATE `kind` name."""
    for found in re.finditer(rf"((?:^--.*\n)*)^CREATE {kind} (?:IF NOT EXISTS )?(\w+)(?: \(\s*--(.*))?", schema, re.MULTILINE):
        above = " ".join(line.strip("- ") for line in found[1].splitlines())
        yield found[2], sentence((found[3] or above).strip())


def tables_page():
    schema = (ARCHIVE / "schema.sql").read_text() + (ARCHIVE / "schema_additions.sql").read_text()
    database = sqlite3.connect(":memory:")
    database.executescript(schema)
    text = "# Tables and views of a run file\n\nA run file (`*.kev`) is an SQLite file: "
    text += "`sqlite3 RUN.kev 'SELECT * FROM v_best LIMIT 10'`. [Queries](../../archive/README.md#queries) holds examples, "
    text += "[schema.sql](../../archive/schema.sql) explains every column.\n"
    for kind in ("VIEW", "TABLE"):
        rows = []
        for name, doc in comments_above(schema, kind):
            columns = [column[1] for column in database.execute(f"PRAGMA table_info({name})")]
            rows.append(row(code(name), doc, " ".join(columns)))
        text += f"\n## {kind.title()}s\n\n{table((kind.lower(), 'holds', 'columns'), rows)}\n"
    return text


def title(page):
    return page.splitlines()[0].lstrip("# ")


def list_page(pages, verbs):
    """`pages`: the text of each page but the verbs', by its path without ending."""
    known = {name for names in GROUPS.values() for name in names}
    groups = {group: list(names) for group, names in GROUPS.items()}
    groups["How to"] += sorted(pages.keys() - known)
    parts = [f"## {group}\n\n" + "\n".join(f"- [{title(pages[name])}]({name}.md)" for name in names if name in pages)
             for group, names in groups.items()]
    rows = (row(f"[{verb['name']}]({verb['name']}.md)", verb["summary"]) for verb in verbs)
    return LIST.format(groups="\n\n".join(parts), verbs="\n".join(rows))


def by_hand(generated):
    """Pages of this folder that are not generated, without their footer."""
    paths = {path.relative_to(HERE).with_suffix("").as_posix(): path for path in sorted(HERE.rglob("*.md"))}
    return {name: path.read_text().split("\n---\n\nTerms are")[0] for name, path in paths.items()
            if name not in generated and name != "README"}


def all_pages(binary):
    verbs = listed(binary, "verbs")
    reference = {"options": options_page(listed(binary, "options")), "sweep_keys": sweep_page(listed(binary, "sweep")),
                 "exit_codes": exit_codes_page(verbs), "tables": tables_page()}
    of_verbs = {verb["name"]: verb_page(verb) for verb in verbs}
    pages = {**by_hand(of_verbs | reference), **reference}
    pages |= of_verbs | {"README": list_page(pages, verbs)}
    return {name + ".md": page.rstrip() + FOOTER.format(up="../" * name.count("/")) for name, page in pages.items()}


def main():
    binary, *folder = sys.argv[1:]
    folder = pathlib.Path(folder[0]) if folder else HERE
    for name, page in all_pages(binary).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(page)


if __name__ == "__main__":
    main()
