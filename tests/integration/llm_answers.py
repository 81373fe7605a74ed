#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Runs with the operator `command` and an asking operator, answered by a program and by letters:
kill -9 with 16 calls in flight loses only those; letters may come late, twice, malformed or while
no process waits."""
import subprocess
import sys
import time

sys.path.insert(0, sys.path[0] + "/../support")
from program import SOURCE, fresh_folder, kill_when, must, rows, start, write  # noqa: E402

SUPPORT = SOURCE / "tests/support"
FOLDER = fresh_folder("llm_answers")
IN_FLIGHT, ANSWERED = 16, 8
CONFIG = f"""schema: kernelevolve/1
budget: {{proposals: 64}}
device: {{kind: function, dimensions: 4}}
islands: {{count: {IN_FLIGHT}, lag: 1}}
archive: {{kind: grid, axes: [{{measure: m0, low: -1, high: 1, bins: 4}}, {{measure: m1, low: -1, high: 1, bins: 4}}]}}
operators: {{llm_mutation: {{weight: 12, retries: 0}}, command: {{weight: 1, program: [{SUPPORT}/vary_randomly.py]}}}}
verify: {{cells: 0}}
"""
# Reports the requests; answers the first ones at once, the others when it may continue.
MODEL = f"""cat >request.$$
key=$(grep -o '[0-9a-f]\\{{64\\}}' request.$$ | head -n 1)
echo $key >>LOG
while [ $(grep -n $key LOG | cut -d: -f1) -gt {ANSWERED} ] && [ ! -e go ]; do sleep 0.1; done
exec {SUPPORT}/set_knobs.py <request.$$
"""


def kept(name):
    return {key.hex() for (key,) in rows(name, "SELECT key FROM exchange")}


def log_to(name):
    """Programs that are still running keep their own text and log."""
    (FOLDER / "fresh.sh").write_text(MODEL.replace("LOG", name))
    (FOLDER / "fresh.sh").rename(FOLDER / "model.sh")


def asked(name):
    log = FOLDER / name
    return log.read_text().split() if log.exists() else []


def program_is_killed():
    log_to("before")
    run = start("run", "c.yaml", "-q", "-o", "program",
                f"llm={{kind: command, program: [sh, model.sh], reply: json, concurrency: {IN_FLIGHT}}}")
    kill_when(run, lambda: len(asked("before")) == ANSWERED + IN_FLIGHT and len(kept("program")) == ANSWERED)
    before, had = set(asked("before")), kept("program")
    lost = before - had
    assert len(before) == ANSWERED + IN_FLIGHT and len(lost) == IN_FLIGHT, (len(had), len(lost))
    (FOLDER / "go").touch()
    log_to("after")
    must("resume", "program", "-q")
    after = asked("after")
    assert len(after) == len(set(after)) and not had & set(after), "what was kept is not asked again"
    assert had | set(after) == kept("program") >= lost
    must("verify", "--replay", "program")
    return f"kill with {len(lost)} in flight of {len(before)} asked; {len(had)} kept, {len(after)} asked after"


def reply_to(letter, text):
    draft = letter.with_name(".draft")
    draft.write_text(text)
    draft.rename(letter.with_name(letter.name.replace(".request.json", ".reply.json")))


def letters_of(folder):
    return sorted(folder.glob("*.request.json"))


def answer(letter):
    request = letter.read_text()
    return subprocess.run([SUPPORT / "set_knobs.py"], input=request, capture_output=True, text=True, check=True).stdout


def letters_are_answered():
    box = FOLDER / "letters" / "mailbox"
    run = start("run", "c.yaml", "-q", "-o", "letters", "llm={kind: mailbox, settle: 50ms}", "budget.proposals=20", "islands.count=4",
                "operators.command.weight=6")
    kill_when(run, lambda: len(letters_of(box)) >= 3)
    waiting = letters_of(box)
    first, malformed = waiting[0], waiting[1]
    again = answer(first)
    reply_to(first, again)  # while no process waits
    reply_to(malformed, '{"reply": "cut')
    run = start("resume", "letters", "-q")
    late = time.monotonic() + 1.5
    twice = 0
    while run.poll() is None:
        if time.monotonic() > late:
            for letter in letters_of(box):
                if letter.with_name(letter.name.replace(".request.json", ".reply.json")).exists():
                    continue
                try:
                    reply_to(letter, answer(letter))
                except FileNotFoundError:  # answered and filed away
                    continue
            if (box / "done" / first.name.replace(".request", ".reply")).exists() and not twice:
                reply_to(first, again)
                twice = 1
        time.sleep(0.02)
    assert run.returncode == 0 and twice, run.returncode
    statuses = dict(rows("letters", "SELECT status, count(*) FROM exchange GROUP BY status"))
    assert statuses.get("bad_reply") == 1 and statuses["ok"] >= 6, statuses
    assert (box / (malformed.name.replace(".request", ".reply") + ".bad")).exists()
    must("verify", "--replay", "letters")
    return f"letters: {statuses}"


def main():
    write({"c.yaml": CONFIG})
    for report in (program_is_killed(), letters_are_answered()):
        print(report)
    for name in ("program", "letters"):
        operators = dict(rows(name, "SELECT operator, count(*) FROM candidate GROUP BY operator"))
        assert operators["command"] > 0 and operators["llm_mutation"] > 4, operators


if __name__ == "__main__":
    main()
