#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Watches a run on a real kernel that is killed and resumed meanwhile: the page shows new
candidates and contacts no other machine, and the server refuses requests without its token, for
another host's name or with another method than GET."""

import base64
import http.client
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.parse
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from browser import Browser  # noqa: E402
from page import missing_page  # noqa: E402

BINARY = os.environ["KERNELEVOLVE"]
FOLDER = pathlib.Path("watch").resolve()
RUN = """schema: kernelevolve/1
name: watched
task: conformance/axpb
seed: 1
budget: {evaluations: 400}
islands: {count: 2, lag: 4}
verify: {cells: 0}
device: {kind: cpu, verify_time: 100ms}
"""


def start(*arguments):
    return subprocess.Popen([BINARY, *map(str, arguments)], cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                            start_new_session=True)


def kill(process):
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def candidates():
    """Number of committed candidates in the run file."""
    for file in (FOLDER / "run").glob("*.kev"):
        try:
            with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
                return database.execute("SELECT count(*) FROM candidate").fetchone()[0]
        except sqlite3.OperationalError:
            pass
    return 0


def wait_for(what, least=None, limit=60):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        value = what()
        if value if least is None else value >= least:
            return value
        time.sleep(0.05)
    raise AssertionError(f"{what.__name__} did not come within {limit} s")


class Client:
    def __init__(self, address):
        parts = urllib.parse.urlsplit(address)
        self.port, self.query = parts.port, parts.query
        assert parts.hostname == "127.0.0.1", address

    def ask(self, path, method="GET", query=None, host=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Host": host} if host else {}
        connection.request(method, f"{path}?{self.query if query is None else query}", headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def shown(self):
        status, text = self.ask("/data")
        assert status == 200, text
        status, packed = self.ask("/run", query=f"{self.query}&number=0")
        assert status == 200, packed
        run = json.loads(zlib.decompress(base64.b64decode(packed)))
        assert len(run["candidates"]["step"]) >= json.loads(text)["runs"][0]["summary"]["proposals"]
        return len(run["candidates"]["step"])


def refuses_strangers(client):
    for path in ("/", "/data", "/run", "/events"):
        assert client.ask(path, query="")[0] == 403, path
        assert client.ask(path, query="token=" + "0" * 32)[0] == 403, path
        assert client.ask(path, host="kernels.example")[0] == 403, path
        assert client.ask(path, host=f"kernels.example:{client.port}")[0] == 403, path
        for method in ("POST", "PUT", "DELETE", "HEAD", "OPTIONS"):
            assert client.ask(path, method=method)[0] == 405, (method, path)
    assert client.ask("/other")[0] == 404
    assert client.ask("/run", query=f"{client.query}&number=1")[0] == 404
    assert client.ask("/../run")[0] == 404


def listens_to_loopback_alone(client):
    rows = [line.split() for name in ("tcp", "tcp6") for line in pathlib.Path(f"/proc/net/{name}").read_text().splitlines()]
    listening = [row[1] for row in rows if row[3] == "0A" and row[1].endswith(f":{client.port:04X}")]
    assert listening == [f"0100007F:{client.port:04X}"], listening


def tells_of_changes(client):
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=30)
    connection.request("GET", f"/events?{client.query}")
    answer = connection.getresponse()
    assert answer.status == 200 and answer.getheader("Content-Type") == "text/event-stream"
    seen = candidates()
    began = time.monotonic()
    while client.shown() <= seen:  # the first change may be known already
        while answer.readline().strip() != b"event: change":
            assert time.monotonic() - began < 10, "no change is told"


def page_follows(browser, client):
    """Seconds until the page shows the committed candidates."""
    browser.wait("document.querySelector('#page[data-ready]')", "the page is ready")
    committed = candidates()
    began = time.monotonic()
    browser.wait(f"Number(document.querySelector('p.live').dataset.candidates ?? 0) >= {committed}", "the page shows it")
    return time.monotonic() - began


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    (FOLDER / "run.yaml").write_text(RUN)
    run = start("run", "run.yaml", "-q", "-o", "run")
    wait_for(candidates, 1)
    if why := missing_page(BINARY, "run", FOLDER):
        kill(run)
        print(f"skipped: {why}")
        sys.exit(77)
    watch = start("watch", "run")
    browser = None
    try:
        address = watch.stdout.readline().strip()
        client = Client(address)
        refuses_strangers(client)
        listens_to_loopback_alone(client)
        tells_of_changes(client)
        browser = Browser()
        browser.open_address(address)
        first = page_follows(browser, client)
        kill(run)
        killed = candidates()
        assert wait_for(client.shown, killed, limit=10) == killed
        run = start("resume", "run")
        wait_for(candidates, killed + 3)
        after = page_follows(browser, client)
        complaints = browser.complaints()
        assert not complaints, complaints
        print(f"the page showed new candidates after {first:.2f} s, and {after:.2f} s after a kill and resume")
        assert watch.poll() is None
        watch.send_signal(signal.SIGINT)
        assert watch.wait(10) == 0, "Ctrl-C ends it"
    finally:
        if browser:
            browser.close()
        for process in (run, watch):
            if process.poll() is None:
                kill(process)


main()
