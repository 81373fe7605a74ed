#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Two workers on hosts of their own (network namespaces): one is cut off while it measures. Its job is done by the other
one, the search goes on, the lost host works again once it is back, and the history is the one of a single machine. Needs
root and ip(8)."""

import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, sys.path[0] + "/../support")
from program import fresh_folder, skip, wait_until  # noqa: E402
from shared_search import Server, alone, coordinator, dismiss, end_all, verified, worker  # noqa: E402

FOLDER = fresh_folder("postgres_cut_off")
WORDS = ["budget.evaluations=200"]  # more than two slow hosts measure before the lost one is back
SLOW = "device.delay_us=1000000"
HOSTS = 2
PREFIX = f"ke{os.getpid() % 10000}"
NET = f"10.{os.getpid() % 200 + 20}.{os.getpid() // 200 % 250}"


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


def make_hosts():
    """A bridge with this machine at .1 and host n at .(10 + n)."""
    ip("link", "add", PREFIX, "type", "bridge")
    ip("addr", "add", f"{NET}.1/24", "dev", PREFIX)
    ip("link", "set", PREFIX, "up")
    for n in range(HOSTS):
        name = f"{PREFIX}h{n}"
        ip("netns", "add", name)
        ip("link", "add", f"{name}o", "type", "veth", "peer", "name", f"{name}i")
        ip("link", "set", f"{name}o", "master", PREFIX, "up")
        ip("link", "set", f"{name}i", "netns", name)
        ip("-n", name, "addr", "add", f"{NET}.{10 + n}/24", "dev", f"{name}i")
        ip("-n", name, "link", "set", f"{name}i", "up")
        ip("-n", name, "link", "set", "lo", "up")


def remove_hosts():
    for n in range(HOSTS):
        subprocess.run(["ip", "netns", "del", f"{PREFIX}h{n}"], capture_output=True)
    subprocess.run(["ip", "link", "del", PREFIX], capture_output=True)


def held_job(server, worker_id):
    """Id of the job that a worker holds; 0: none."""
    return server.ask(f"SELECT id FROM job WHERE worker = {worker_id} AND state = 'leased'")


def cut_off(server, process, worker_id):
    """Takes host 0 off the network while it holds a job, whose id this returns. It stands still meanwhile: it cannot
    hand in the job between the look and the cut."""
    job = 0
    while job == 0:
        wait_until(lambda: held_job(server, worker_id), "a claim of host 0")
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.1)  # an answer on its way arrives
        job = held_job(server, worker_id)
        if job:
            ip("link", "set", f"{PREFIX}h0o", "down")
        process.send_signal(signal.SIGCONT)
    return job


def search(server):
    expected, facts = alone(FOLDER / "alone", WORDS)
    url = f"postgresql://kernelevolve@{NET}.1:5432/kernelevolve"
    slow = [worker(url, SLOW, before=("ip", "netns", "exec", f"{PREFIX}h{n}")) for n in range(HOSTS)]
    run = coordinator(server.url, "cut", FOLDER / "run", WORDS)
    done = "SELECT count(*) FROM fact"
    wait_until(lambda: server.ask("SELECT count(DISTINCT worker) FROM fact") == HOSTS, "facts of both hosts")
    lost = server.ask(f"SELECT id FROM worker WHERE pid = {slow[0].pid}")
    job = cut_off(server, slow[0], lost)
    cut = time.monotonic()
    wait_until(lambda: held_job(server, lost) != job, "its job to be taken up")
    print(f"cut off: its job was taken up by the other host {time.monotonic() - cut:.1f} s later (lease: 1 s)")
    before = server.ask(done)
    wait_until(lambda: server.ask(done) >= before + 3, "the search to go on")
    by_lost = f"SELECT count(*) FROM fact WHERE worker = {lost}"
    then = server.ask(by_lost)
    ip("link", "set", f"{PREFIX}h0o", "up")
    back = time.monotonic()
    wait_until(lambda: server.ask(by_lost) > then, "the lost host to measure again")
    print(f"back: it handed in a fact {time.monotonic() - back:.1f} s later")
    assert run.poll() is None, "the run was over before the lost host was back"
    dismiss(slow)
    fast = worker(server.url)
    assert run.wait(60) == 0
    end_all([fast])
    found, found_facts = verified(FOLDER / "run")
    assert (found, found_facts) == (expected, facts), (found, expected, found_facts, facts)
    assert server.ask(done) == facts
    print(f"{facts} facts, none twice; history {found[:12]}, as on one machine")


def main():
    if os.geteuid() != 0 or shutil.which("ip") is None:
        skip("network namespaces need root and ip(8)")
    try:
        make_hosts()
    except subprocess.CalledProcessError as error:
        remove_hosts()
        skip(f"no network namespaces here: {error.stderr.decode().strip()}")
    try:
        with Server(f"{NET}.1", 5432) as server:
            search(server)
    finally:
        remove_hosts()


if __name__ == "__main__":
    main()
