#!/usr/bin/env python3
"""Writes the tables beside it anew from stored runs of run.sh; rows of problems without a run stay.

usage: papers/kernelbench/collect.py RUNS [bfloat16]
  RUNS      a folder of runs, each of the problem that its folder names
  bfloat16  they are of modules in bfloat16: the tables in that folder, and the answers of answers/bfloat16"""

import csv
import pathlib
import re
import sqlite3
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
TYPE = sys.argv[2] if len(sys.argv) > 2 else "."
FORMS = ("eager", "compiled", "eager tf32", "compiled tf32")
COLUMNS = {
    "answers": ["problem", "answer", "verdict", "reason", "over_eager", "low", "high"],
    "verified": ["problem", "opponent", "role", "speedup", "low", "high", "note"],
    "opponents": ["problem", "bench", *(f"{form.replace(' ', '_')}_us" for form in FORMS)],
}
# Drafts and the replies that they were made of; a program that has no answer left replies nothing.
ANSWERS = """SELECT n.text, CASE c.outcome WHEN 'no_child' THEN 'unusable' ELSE e.verdict END, e.reason,
  e.objective, e.ci_low, e.ci_high
FROM candidate c JOIN evaluation e ON e.candidate_id = c.id
JOIN evidence v ON v.candidate_id = c.id JOIN exchange x ON x.key = v.key JOIN note n ON n.id = x.reply_id
WHERE c.operator = 'llm_draft' AND n.text <> ''"""
# Of the champion; of the kernel that seemed best where none came through. A note where a sanitizer refused it.
VERIFIED = """SELECT baseline, role, speedup, ci_low, ci_high, coalesce(nullif(note, ''),
  (SELECT a.reason FROM attempt a JOIN candidate c USING (genome_id)
   WHERE c.id = candidate_id AND a.purpose = 'sanitize' AND a.verdict = 'suspicious'), '')
FROM verified WHERE candidate_id = coalesce(
  (SELECT champion_id FROM stop),
  (SELECT v.candidate_id FROM verified v JOIN evaluation e USING (candidate_id) ORDER BY e.objective DESC, v.candidate_id LIMIT 1))
ORDER BY baseline, role"""
PROMPT = """SELECT n.text FROM message m JOIN exchange x ON x.id = m.exchange_id JOIN note n ON n.id = m.text_id
WHERE m.role = 'user' ORDER BY x.id LIMIT 1"""


def text(figure):
    return f"{figure:.3f}" if figure else ""  # 0 and none: not measured


def answers_of(problem, run):
    """Rows in the order of the files of the answers. Error: a reply that is none of them."""
    files = {path.read_text(encoding="utf-8").strip(): int(path.stem) for path in (FOLDER / "answers" / TYPE / problem).glob("*.md")}
    rows = [(files[reply.strip()], verdict, reason, *(text(figure) if verdict == "ok" else "" for figure in figures))
            for reply, verdict, reason, *figures in run.execute(ANSWERS)]
    return [(problem, *row) for row in sorted(rows)]


def opponents_of(problem, run):
    """The row of the times that the first prompt tells."""
    (prompt,) = run.execute(PROMPT).fetchone()
    bench, told = re.search(r"^Opponents at (.*), the short[a-z]+ of [a-z ]+: (.*)$", prompt, re.MULTILINE).groups()
    times = dict(re.findall(r"pytorch ([a-z0-9 ]+?) ([0-9.]+) us", told))
    return [(problem, bench, *(times.get(form, "") for form in FORMS))]


def order(row):
    level, number = re.match(r"level(\d)_(\d+)_", row[0]).groups()
    return int(level), int(number)


def write(name, rows):
    path = FOLDER / TYPE / f"{name}.tsv"
    made = {row[0] for row in rows}
    path.touch()
    with open(path, encoding="utf-8", newline="") as file:
        kept = [row for row in list(csv.reader(file, delimiter="\t"))[1:] if row[0] not in made]
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows([COLUMNS[name], *sorted([*kept, *rows], key=order)])


def main():
    rows = {name: [] for name in COLUMNS}
    for path in sorted(pathlib.Path(sys.argv[1]).glob("**/*.kev")):
        problem, run = path.parent.name, sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        rows["answers"] += answers_of(problem, run)
        rows["verified"] += [(problem, baseline, role, *map(text, figures), note)
                             for baseline, role, *figures, note in run.execute(VERIFIED)]
        rows["opponents"] += opponents_of(problem, run)
    for name, made in rows.items():
        write(name, made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
