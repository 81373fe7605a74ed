#!/usr/bin/env python3
# Times nothing: may run beside others.
"""One search over several hosts, with a PostgreSQL server of the test's own: 1, 2 and 8 workers, the history of a run on
one machine; the same after kill -9 of workers, of the coordinator (which goes on in an empty folder, as on another host)
and of the server at random moments, with nothing that was finished lost or counted twice. Three kills of each; --full:
20."""

import random
import sys
import time

sys.path.insert(0, sys.path[0] + "/../support")
from program import fresh_folder, wait_until  # noqa: E402
from shared_search import Server, alone, coordinator, dismiss, end_all, verified, worker  # noqa: E402

KILLS = 20 if "--full" in sys.argv else 3
FOLDER = fresh_folder("postgres_search")
BUDGET = ["budget.evaluations=60"]
LONG = [f"budget.evaluations={80 + 80 * KILLS}"]  # that all kills come before its end
LANDSCAPE_CONFIG = """\
schema: kernelevolve/1
seed: 1
budget: {evaluations: 60}
device: {kind: landscape, files: [conv2d]}
islands: {count: 3, lag: 0}
"""


def by_number_of_workers(server, name, words, config=None):
    expected, facts = alone(FOLDER / f"{name}_alone", words, config)
    for count in (1, 2, 8):
        folder = FOLDER / f"{name}_{count}"
        run = coordinator(server.url, f"{name}{count}", folder, words, config)
        workers = [worker(server.url) for _ in range(count)]
        assert run.wait(60) == 0
        dismiss(workers)
        found, found_facts = verified(folder)
        assert (found, found_facts) == (expected, facts), f"{count} workers: {found} is not {expected}"
        served = server.ask("SELECT count(DISTINCT worker) FROM fact WHERE run_id = (SELECT max(id) FROM run)")
        print(f"{name}: {count} workers, of which {served} measured: history {found[:12]}, as on one machine")


class Search:
    """A coordinator and three workers that are started again when they were killed."""

    def __init__(self, server):
        self.server = server
        self.folders = 0
        self.workers = [self.new_worker() for _ in range(3)]
        self.run = self.new_run()

    def new_worker(self):
        return worker(self.server.url, "device.delay_us=1000000")

    def new_run(self):
        self.folders += 1
        return coordinator(self.server.url, "killed", FOLDER / f"killed_{self.folders}", LONG)

    def counts(self):
        return [self.server.ask(f"SELECT count(*) FROM {table} WHERE run_id = (SELECT id FROM run WHERE name = "
                                "'killed.rastrigin.s1')") for table in ("step", "fact")]

    def kill(self, what, which):
        if what == "worker":
            self.workers[which].kill()
            self.workers[which].wait()
            self.workers[which] = self.new_worker()
        elif what == "coordinator":
            self.run.kill()
            self.run.wait()
            self.run = self.new_run()
        else:
            self.server.kill()
            time.sleep(0.2)
            self.server.start()


def kills(server):
    expected, facts = alone(FOLDER / "alone", LONG)
    moments = random.Random(11)
    order = ["worker", "coordinator", "server"] * KILLS
    moments.shuffle(order)
    search = Search(server)
    wait_until(lambda: search.counts()[1] > 0, "a first fact")
    kept = [0, 0]
    killed = 0
    for what in order:
        time.sleep(moments.uniform(0.1, 0.7))
        assert search.run.poll() is None, f"the run was over after {killed} kills"
        search.kill(what, moments.randrange(3))
        killed += 1
        now = search.counts()
        assert now[0] >= kept[0] and now[1] >= kept[1], f"lost: {kept} before the kill of a {what}, {now} after"
        kept = now
    end_all(search.workers)
    fast = worker(server.url)
    assert search.run.wait(300) == 0
    end_all([fast])
    found, found_facts = verified(FOLDER / f"killed_{search.folders}")
    assert (found, found_facts) == (expected, facts), (found, expected, found_facts, facts)
    steps, stored = search.counts()
    assert stored == facts, f"{stored} facts in the database, {facts} measurements were needed"
    repeated = server.ask("SELECT count(*) FROM fact WHERE attempt > 1")
    print(f"{killed} kills, {search.folders} coordinators: {steps} steps and {stored} facts, none lost, none twice; "
          f"{repeated} were measured by a second worker; history {found[:12]}, as on one machine")


def main():
    config = FOLDER / "landscape.yaml"
    config.write_text(LANDSCAPE_CONFIG)
    with Server() as server:
        by_number_of_workers(server, "function", BUDGET)
        by_number_of_workers(server, "landscape", [], [config])
        kills(server)


if __name__ == "__main__":
    main()
