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
import signal
import subprocess
import sys
import time
import urllib.parse
import zlib

sys.path.insert(0, sys.path[0] + "/../support")
import program  # noqa: E402
from browser import Browser  # noqa: E402
from needs import missing_page  # noqa: E402
from program import count_rows, fresh_folder, skip, unpack_recording, wait_until, write  # noqa: E402

RUN = """schema: kernelevolve/1
name: watched
task: conformance/axpb
seed: 1
budget: {evaluations: 400}
islands: {count: 2, lag: 4}
verify: {cells: 0}
device: {kind: cpu, verify_time: 100ms}
"""


def start(*words):
    return program.start(*words, stdout=subprocess.PIPE, text=True)


def kill(process):
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def candidates():
    """Number of committed candidates in the run file."""
    return count_rows("run", "candidate")


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
    fresh_folder("watch")
    write({"run.yaml": RUN})
    if why := missing_page(unpack_recording("softmax-llm.kev", ".")):
        skip(why)
    browser = Browser()  # before the run, which measures all the while
    run = start("run", "run.yaml", "-q", "-o", "run")
    watch = None
    try:
        wait_until(candidates, "a candidate", 200, 0.1)
        watch = start("watch", "run")
        address = watch.stdout.readline().strip()
        client = Client(address)
        refuses_strangers(client)
        listens_to_loopback_alone(client)
        tells_of_changes(client)
        browser.open_address(address)
        first = page_follows(browser, client)
        kill(run)
        killed = candidates()
        wait_until(lambda: client.shown() >= killed, "all candidates on the page", 10, 0.1)
        assert client.shown() == killed
        run = start("resume", "run")
        wait_until(lambda: candidates() >= killed + 3, "more candidates", 200, 0.1)
        after = page_follows(browser, client)
        complaints = browser.complaints()
        assert not complaints, complaints
        print(f"the page showed new candidates after {first:.2f} s, and {after:.2f} s after a kill and resume")
        assert watch.poll() is None
        watch.send_signal(signal.SIGINT)
        assert watch.wait(10) == 0, "Ctrl-C ends it"
    finally:
        browser.close()
        for process in (run, watch):
            if process and process.poll() is None:
                kill(process)


main()
