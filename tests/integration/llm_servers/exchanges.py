#!/usr/bin/env python3
"""Every dialect against a third-party server: replies, token counts and models arrive as sent,
whole and in pieces; its injected faults lose nothing; a wrong key ends the run, which resumes with
the right one."""
import collections
import json
import os
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../../support")
from llm_server import PATHS  # noqa: E402
from program import PROVIDER, fresh_folder, must, rows, skip, write  # noqa: E402

HERE = os.getcwd()
fresh_folder("exchanges")
KEY = "key-of-the-server"
CONFIG = """schema: kernelevolve/1
budget: {proposals: 7}
device: {kind: function, dimensions: 3}
islands: {count: 1, lag: 0}
archive: {kind: grid, axes: [{measure: m0, low: -1, high: 1, bins: 4}, {measure: m1, low: -1, high: 1, bins: 4}]}
operators: {llm_mutation: 1}
llm: {kind: http, model: some-model, key_variable: LLM_KEY, price: free}
verify: {cells: 0}
"""


class Server:
    """The server program; `faults` is the share of requests hit by each of its four kinds of
    fault."""

    def __init__(self, faults):
        self.process = subprocess.Popen(["node", "server.mjs", str(faults)], cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env={**os.environ, "SERVER_KEY": KEY})
        first = self.process.stdout.readline().strip()
        if not first.isdigit():
            skip(f"the server program does not run here: {self.process.stderr.read().strip().splitlines()[-1]}")
        self.port = int(first)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def replies(self):
        """Ends the server; returns the replies that it reported."""
        self.process.kill()
        return [json.loads(line) for line in self.process.stdout.read().splitlines()]


def run(out, server, dialect, *overrides, key=KEY, codes=(0,)):
    address = f"http://127.0.0.1:{server.port}{PATHS[dialect]}"
    must("run", "e.yaml", "-q", "-o", out, f"llm.dialect={dialect}", f"llm.base_url={address}", *overrides, codes=codes, LLM_KEY=key)


def exchanges(out):
    return rows(out, "SELECT note.text, model_returned, input_tokens, output_tokens, status FROM exchange "
                     "JOIN note ON note.id = reply_id ORDER BY exchange.id")


def arrives_as_sent(dialect, stream):
    out = f"{dialect}-{stream}"
    with Server(0) as server:
        run(out, server, dialect, f"llm.stream={stream}")
        sent = server.replies()
    seen = exchanges(out)
    model = "" if dialect == "gemini" else "some-model"  # this server names no model there
    assert len(sent) == 6, sent  # one of seven proposals is the seed kernel
    assert [row[0] for row in seen] == [reply["content"] for reply in sent], (dialect, stream)
    assert [row[1:] for row in seen] == [(model, 1101 + i, 70, "ok") for i in range(6)], (dialect, stream, [row[1:] for row in seen])


def faults_lose_nothing(dialect):
    out = f"{dialect}-faults"
    with Server(0.1) as server:
        run(out, server, dialect, "budget.proposals=9", "llm.tries=12", "llm.pause=10ms")
        sent = server.replies()
    seen = exchanges(out)
    assert all(row[4] == "ok" for row in seen) and len(seen) == 8, seen
    missing = collections.Counter(row[0] for row in seen) - collections.Counter(reply["content"] for reply in sent)
    assert not missing, missing
    return len(sent)


def wrong_key_ends_the_run(dialect):
    out = f"{dialect}-key"
    with Server(0) as server:
        run(out, server, dialect, key="another-key", codes=(PROVIDER,))
        must("resume", out, LLM_KEY=KEY)
        assert len(exchanges(out)) >= 6


def main():
    write({"e.yaml": CONFIG})
    for dialect in PATHS:
        for stream in ("true", "false"):
            arrives_as_sent(dialect, stream)
        faults_lose_nothing(dialect)
        wrong_key_ends_the_run(dialect)
    print(f"{len(PATHS)} dialects: replies arrive as sent, whole and in pieces; faults lose nothing; a wrong key ends with 5")


if __name__ == "__main__":
    main()
