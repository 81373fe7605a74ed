#!/usr/bin/env python3
"""How fast the report of a search with 50,000 candidates opens in a headless Chromium and answers its user.

usage: KERNELEVOLVE=build/release/kernelevolve tests/bench/large_report.py [CANDIDATES] [PICTURE.png]
"""
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from browser import Browser  # noqa: E402

BINARY = pathlib.Path(os.environ["KERNELEVOLVE"]).resolve()
RUN = """schema: kernelevolve/1
name: large
seed: 1
budget: {{proposals: {candidates}, evaluations: {candidates}}}
device: {{kind: landscape, files: [space.json], descriptors: [{{name: a, low: 0, high: 16}}, {{name: b, low: 0, high: 16}}]}}
islands: {{count: 4, lag: 0, migration: {{every: 50, migrants: 2}}}}
archive: {{axes: [{{measure: a, bins: 16}}, {{measure: b, bins: 16}}]}}
operators: {{knob_step: 4, knob_crossover: 4, random_restart: 1}}
"""
# Waits until the frame after next, which shows the requested state.
SHOWN = "await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));"
CLICKS = {
    "archive slider": "const s = document.querySelector('#archive input[type=range]'); s.value = s.max / 3; s.dispatchEvent(new Event('input'));",
    "archive of an island": "const s = document.querySelector('#archive select'); s.value = '1'; s.dispatchEvent(new Event('change'));",
    "progress over proposals": "const s = document.querySelector('#result select'); s.value = 'proposals'; s.dispatchEvent(new Event('change'));",
    "kernel of the lineage": "document.querySelector('#lineage td button.link').click();",
    "its changes": "document.querySelectorAll('dialog button.tab')[2].click();",
    "window closed": "document.querySelector('dialog button.close').click();",
    "other line of a crossover": "document.querySelector('#lineage td button.more')?.click();",
    "lineage of another kernel": "const s = document.querySelector('#lineage select'); s.value = s.options[3].value; s.dispatchEvent(new Event('change'));",
    "all its ancestors": "document.querySelector('#lineage .controls button.link')?.click();",
}


def space():
    """16^4 configurations; every eleventh fails."""
    results = []
    for a, b, c, d in itertools.product(range(16), repeat=4):
        time_ms = 1 + (a - 11) ** 2 / 30 + (b - 5) ** 2 / 30 + ((a * b + c) % 7) / 5 + ((c * d) % 5) / 9
        failed = (a + 2 * b + 3 * c + d) % 11 == 0
        results.append({"configuration": {"a": a, "b": b, "c": c, "d": d}, "times": {"runtimes": [time_ms]},
                        "invalidity": "runtime" if failed else "correct", "objectives": ["time"],
                        "measurements": [{"name": "time", "value": "failed" if failed else time_ms}]})
    return {"metadata": {"timeunit": "milliseconds"}, "results": results, "schema_version": "1.0.0"}


def call(folder, *arguments):
    began = time.monotonic()
    subprocess.run([BINARY, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def main():
    candidates = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    browser = Browser()
    with tempfile.TemporaryDirectory(prefix="ke_large_") as name:
        folder = pathlib.Path(name)
        (folder / "space.json").write_text(json.dumps(space()))
        (folder / "large.yaml").write_text(RUN.format(candidates=candidates))
        print(f"run {call(folder, 'run', 'large.yaml', '-q', '-o', 'run'):.1f} s, "
              f"report {call(folder, 'report', 'run', '-o', 'large.html'):.1f} s, "
              f"{(folder / 'large.html').stat().st_size / 1e6:.1f} MB")
        try:
            browser.open(folder / "large.html")
            browser.wait("document.querySelector('#page[data-ready]')", "the page is ready")
            paint = browser.run("""return performance.getEntriesByType('paint').find((one) => one.name === 'first-contentful-paint').startTime;""")
            print(f"first paint {paint:.0f} ms after the start, of which the page's own work "
                  f"{browser.run('return Number(document.getElementById(`page`).dataset.ready);')} ms")
            browser.run("document.getElementById('page').drawAll();")
            for what, script in CLICKS.items():
                took = browser.run(f"return (async () => {{ const began = performance.now(); {script} {SHOWN} return performance.now() - began; }})();")
                print(f"{what}: {took:.0f} ms")
            print(f"{browser.run('return document.querySelectorAll(`#lineage tbody tr`).length;')} lines of the lineage")
            if len(sys.argv) > 2:
                browser.run("document.getElementById('lineage').scrollIntoView();")
                browser.picture(sys.argv[2])
            assert not browser.complaints()
        finally:
            browser.close()


if __name__ == "__main__":
    main()
