#!/usr/bin/env python3
"""Cost of a watcher for a CPU-bound run: CPU time and wall time of the run's own process, with
`kernelevolve watch` and an open page and without, in turns. Viewers beyond the first read the events and, as the page does,
the data that they announce.

usage: KERNELEVOLVE=build/release/kernelevolve tests/bench/watch_cost.py [PAIRS] [EVALUATIONS] [VIEWERS]"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from browser import Browser  # noqa: E402

BINARY = pathlib.Path(os.environ["KERNELEVOLVE"]).resolve()
RUN = """schema: kernelevolve/1
name: watched
seed: 1
budget: {{evaluations: {evaluations}}}
device: {{kind: function, function: rastrigin, dimensions: 8}}
archive:
  axes: [{{measure: m0, bins: 20}}, {{measure: m1, bins: 20}}]
"""


def start(folder, *arguments, **more):
    return subprocess.Popen([BINARY, *arguments], cwd=folder, stderr=subprocess.DEVNULL, text=True, **more)


def view(address):
    """Reads events, and the data after each, until the server ends."""
    root, token = address.split("/?")
    try:
        with urllib.request.urlopen(f"{root}/events?{token}") as events:
            for line in events:
                if line.startswith(b"data:"):
                    urllib.request.urlopen(f"{root}/data?{token}").read()
    except OSError:
        pass


def watcher(folder, browser, viewers):
    while not list((folder / "run").glob("*.kev")):
        time.sleep(0.01)
    while True:  # until the run's first step
        process = start(folder, "watch", "run", stdout=subprocess.PIPE)
        address = process.stdout.readline().strip()
        if address:
            browser.open_address(address)
            for _ in range(viewers - 1):
                threading.Thread(target=view, args=(address,), daemon=True).start()
            return process
        process.wait()


def spent(browser, evaluations, viewers):
    """(CPU seconds, wall seconds) of one run."""
    with tempfile.TemporaryDirectory(prefix="ke_watch_") as name:
        folder = pathlib.Path(name)
        (folder / "run.yaml").write_text(RUN.format(evaluations=evaluations))
        began = time.monotonic()
        run = start(folder, "run", "run.yaml", "-q", "-o", "run", stdout=subprocess.DEVNULL)
        watch = watcher(folder, browser, viewers) if browser else None
        _, status, usage = os.wait4(run.pid, 0)
        wall = time.monotonic() - began
        assert status == 0, status
        if watch:
            shown = browser.run("return Number(document.querySelector('p.live').dataset.candidates);")
            browser.open_address("about:blank")
            watch.terminate()
            watch.wait()
            assert shown > 0, "the page showed nothing"
        return usage.ru_utime + usage.ru_stime, wall


def main():
    defaults = ((1, 6), (2, 150_000), (3, 1))  # shorter runs may end before the page reads them again
    pairs, evaluations, viewers = (int(sys.argv[i]) if len(sys.argv) > i else value for i, value in defaults)
    browser, ratios = Browser(), []
    try:
        for pair in range(pairs):
            order = [None, browser] if pair % 2 == 0 else [browser, None]
            figures = {bool(one): spent(one, evaluations, viewers) for one in order}
            ratios.append([watched / alone for watched, alone in zip(figures[True], figures[False])])
            print("pair {}: CPU {:.2f} s alone, {:.2f} s watched; wall {:.2f} s, {:.2f} s".format(
                pair + 1, figures[False][0], figures[True][0], figures[False][1], figures[True][1]), flush=True)
    finally:
        browser.close()
    for name, values in zip(("CPU time of the run", "wall time"), zip(*ratios)):
        print(f"{name}: {100 * (statistics.median(values) - 1):+.1f} % with {viewers} viewers, median of {pairs} pairs "
              f"({100 * (min(values) - 1):+.1f} to {100 * (max(values) - 1):+.1f})")


if __name__ == "__main__":
    main()
