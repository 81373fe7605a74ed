#!/usr/bin/env python3
# Times nothing: may run beside others.
"""A worker with --idle stays while it has jobs and leaves when it has none. An address that pools by transaction is
refused at once, by worker and coordinator, in words that name the cause; one that pools by session works. Pooled
addresses need PgBouncer; without it, the test does the rest and says so."""

import os
import pwd
import shutil
import subprocess
import sys
import time

sys.path.insert(0, sys.path[0] + "/../support")
from program import fresh_folder, free_port, refused, wait_until, write  # noqa: E402
from shared_search import FUNCTION, Server, alone, coordinator, verified, worker  # noqa: E402

FOLDER = fresh_folder("postgres_workers")


def an_idle_worker(server):
    log = FOLDER / "idle.log"
    run = coordinator(server.url, "idle", FOLDER / "idle", ["budget.evaluations=12"])
    with log.open("w") as file:
        start = time.monotonic()
        one = worker(server.url, "--idle", "2", "device.delay_us=400000", log=file)  # 4.8 s of jobs
        assert run.wait(60) == 0
        assert one.wait(60) == 0
        took = time.monotonic() - start
    text = log.read_text()
    assert text.count("serves its device") == 1 and "jobs answered; the run has ended" in text, text
    assert took > 6, took
    print(f"--idle 2: one worker serves a run with jobs of 0.4 s to its end and leaves after {took:.1f} s")


class Pooler:
    """PgBouncer in front of a server."""

    def __init__(self, program, mode, port):
        self.port = free_port()
        folder = FOLDER / mode
        write({"users": '"kernelevolve" ""\n',
               "ini": f"[databases]\nkernelevolve = host=127.0.0.1 port={port} user=kernelevolve\n"
                      f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {self.port}\nunix_socket_dir =\nauth_type = any\n"
                      f"auth_file = {folder}/users\npool_mode = {mode}\nlogfile = {folder}/log\n"}, folder)
        command = [program, str(folder / "ini")]
        if os.getuid() == 0:  # it refuses root
            for path in (FOLDER, folder, folder / "ini", folder / "users"):
                os.chown(path, pwd.getpwnam("postgres").pw_uid, -1)
            command = ["runuser", "-u", "postgres", "--", *command]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"postgresql://kernelevolve@127.0.0.1:{self.port}/kernelevolve"
        wait_until(lambda: subprocess.run(["psql", self.url, "-Atqc", "SELECT 1"], capture_output=True).returncode == 0, "PgBouncer")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def pooled_addresses(server, port):
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        print("no PgBouncer here: pooled addresses were not tried")
        return
    with Pooler(program, "transaction", port) as pooler:
        for words in (["worker"], ["run", *FUNCTION, "queue.url=env", "-q", "-o", str(FOLDER / "refused")]):
            err = refused(words, "pools by transaction", "pools by session", timeout=60, KERNELEVOLVE_QUEUE_URL=pooler.url)
            assert len(err.strip().splitlines()) == 1, err
    with Pooler(program, "session", port) as pooler:
        expected, _ = alone(FOLDER / "alone", ["budget.evaluations=30"])
        run = coordinator(pooler.url, "pooled", FOLDER / "pooled", ["budget.evaluations=30"])
        one = worker(pooler.url, "--idle", "1")
        assert run.wait(60) == 0 and one.wait(60) == 0
        assert verified(FOLDER / "pooled")[0] == expected
    print("PgBouncer: by transaction refused in one line, by session the history of a run on one machine")


def main():
    port = free_port()
    with Server("127.0.0.1", port) as server:
        an_idle_worker(server)
        pooled_addresses(server, port)


if __name__ == "__main__":
    main()
