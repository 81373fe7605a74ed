"""A database server, a coordinator and workers of one search, for tests that kill them."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from program import SOURCE, call, must, skip, start, verify

SERVER = str(SOURCE / "tests/support/postgres_server.sh")
FUNCTION = [str(SOURCE / "configs/ablations/function_base.yaml"), "seed=1"]


class Server(contextlib.AbstractContextManager):
    """A PostgreSQL server in a folder of its own, which another user must reach."""

    def __init__(self, *address):
        _, _, without = call("worker", "--url", "none=", timeout=60)
        if "no client of PostgreSQL" in without:
            skip(without.strip())
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ke_server_"))
        self.folder.chmod(0o755)
        self.address = [str(part) for part in address]
        self.url = self.start()

    def start(self):
        done = subprocess.run([SERVER, "start", str(self.folder / "pg"), *self.address], capture_output=True, text=True)
        if done.returncode == 77:
            print(done.stdout.strip())
            shutil.rmtree(self.folder, ignore_errors=True)
            sys.exit(77)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip().splitlines()[-1]

    def kill(self):
        subprocess.run([SERVER, "kill", str(self.folder / "pg")], check=True)

    def __exit__(self, *_):
        subprocess.run([SERVER, "stop", str(self.folder / "pg")], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, sql):
        """First column of the first row, as an integer; 0 while there is no table."""
        done = subprocess.run(["psql", self.url, "-Atqc", sql], capture_output=True, text=True)
        return int(done.stdout.split("\n")[0] or 0) if done.returncode == 0 else 0


def worker(url, *words, before=(), log=subprocess.DEVNULL):
    return start("worker", *words, before=before, env={**os.environ, "KERNELEVOLVE_QUEUE_URL": url}, stderr=log)


def coordinator(url, name, folder, words, config=None):
    return start("run", *(config or FUNCTION), *words, f"name={name}", "queue.url=env", "queue.lease=1s", "-q", "-o", folder,
                 env={**os.environ, "KERNELEVOLVE_QUEUE_URL": url})


def alone(folder, words, config=None):
    """The same search on this machine, without a queue: its history hash."""
    shutil.rmtree(folder, ignore_errors=True)
    must("run", *(config or FUNCTION), *words, "name=alone", "-q", "-o", folder)
    return verified(folder)


def verified(folder):
    """Hash and number of facts of the run in a folder, after `verify`."""
    report = verify(folder)
    return report["history_hash"], report["facts"]


def end_all(processes):
    for process in processes:
        process.kill()
        process.wait()


def dismiss(workers):
    """SIGTERM: they give back what they hold, and say so."""
    for process in workers:
        process.terminate()
    codes = [process.wait(20) for process in workers]
    assert set(codes) == {143}, codes
