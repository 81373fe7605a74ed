#!/usr/bin/env python3
# Times nothing: may run beside others.
"""Opens reports in a headless Chromium without network and uses them: every panel draws, slider, cell to kernels, lineage to
changes, letters of a model, runs by arm and task. Any complaint of the console is a failure; so is hostile text that is more
than text, a page wider than the screen, and a serious finding of axe-core in light or dark.

usage: report.py [PICTURES]     with a folder, it leaves pictures of the pages there
"""
import pathlib
import shutil
import sqlite3
import statistics
import sys
import time

sys.path.insert(0, sys.path[0] + "/../support")
import report_tables  # noqa: E402
from browser import Browser  # noqa: E402
from needs import missing_page  # noqa: E402
from program import BUILD, edit, fresh_folder, json_of, must, rows, run_file, show, skip, unpack_recording, write  # noqa: E402

AXE = BUILD / "page/node_modules/axe-core/axe.min.js"
PICTURES = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
FOLDER = fresh_folder("report")
RUN = """schema: kernelevolve/1
name: one
seed: 1
budget: {evaluations: 400}
device: {kind: function, function: rastrigin, dimensions: 6}
islands: {count: 3, lag: 0, topology: ring, migration: {every: 10, migrants: 2}}
archive:
  kind: grid
  axes: [{measure: m0, bins: 6}, {measure: m1, bins: 6}]
operators: {knob_step: 4, knob_crossover: 2, random_restart: 1}
"""
SWEEP = """schema: kernelevolve-sweep/1
base: one.yaml
tasks: [rastrigin]
seeds: 1..6
arms:
  crossover: {}
  no_crossover: {operators: {knob_crossover: 0, knob_step: 6}}
analysis: {endpoint: best_seen, reference: crossover, unit: seed, test: wilcoxon}
"""
MEASURED = """schema: kernelevolve/1
name: measured
task: conformance/axpb
seed: 1
budget: {evaluations: 6}
islands: {count: 1, lag: 2}
verify: {cells: 1, naive_flag_sets: 1}
device: {kind: cpu, verify_time: 100ms, verify_clusters: 2}
"""
HOSTILE = ("</script><script>window.owned = 1</script><img src=x onerror='window.owned = 2'><!--\n"
           "if (admin\u202e \u2066// nobody\u2069 \u2066) { \u200b\x1b[31m }\n" + "x" * 1_000_000 + "\n</pre></div>")


def make_runs():
    write({"one.yaml": RUN, "sweep.yaml": SWEEP, "measured.yaml": MEASURED})
    must("run", "one.yaml", "-q", "-o", "one")
    must("sweep", "sweep.yaml", "-o", "sweep")
    must("run", "measured.yaml", "-q", "-o", "measured")


def make_hostile():
    """Copies the run with other texts in every place that a candidate or a machine may name."""
    shutil.copytree(FOLDER / "one", FOLDER / "hostile")
    edit(run_file("hostile"), ("UPDATE source SET text = ?", (HOSTILE,)),
         ("UPDATE candidate SET kernel_name = ?, operator = ? WHERE id % 2", ("</script><b>\u202ename",) * 2),
         ("UPDATE evaluation SET message = ?, reason = '<i>'", (HOSTILE[:200],)),
         ("UPDATE session SET host = ?", (HOSTILE[:200],)),
         ("INSERT INTO evaluation_diagnostic SELECT id, 0, '<u>', 1, 2, 'error', ? FROM candidate", (HOSTILE[:90],)))


def make_asked():
    """Copies the run as if models had proposed some kernels, and three elites had been
    remeasured."""
    shutil.copytree(FOLDER / "one", FOLDER / "asked")
    edit(run_file("asked"), "INSERT INTO note (hash, text) VALUES (zeroblob(32), 'a reply')",
         "INSERT INTO exchange SELECT id, randomblob(32), 1, iif(id % 2, 'small', 'large'), 512, iif(id % 5, 'ok', 'refused'), "
         "(SELECT max(id) FROM note), iif(id % 3, '', 'large-1'), id, 2 * id, 0, 0, 0.001 * id, zeroblob(32) "
         "FROM candidate WHERE id BETWEEN 5 AND 60", "INSERT INTO evidence SELECT id, 90, key FROM exchange",
         "INSERT INTO verified SELECT candidate_id, 'anchor', 'bench', 1.5, 1.4, 1.6, NULL, '', zeroblob(32) "
         "FROM v_archive WHERE island = -1 LIMIT 3")


def figures_equal_rows():
    """Requires each number of a report to equal one of the run file."""
    make_asked()
    compared = 0
    for name in ("one", "asked", "measured"):
        run = json_of("report", name)["runs"][0]
        with sqlite3.connect(f"file:{run_file(name)}?mode=ro", uri=True) as database:
            compared += report_tables.check(run, database)
        for row in run["noise"] or []:
            quartiles = statistics.quantiles(row["values"] * (1 if len(row["values"]) > 1 else 2), n=4, method="inclusive")
            assert all(map(report_tables.same, row["resolvable"], quartiles)), row
        stages = run["funnel"]["stages"]
        for i, stage in enumerate(stages):
            assert stage["lost"] == sum(reason["count"] for reason in run["funnel"]["reasons"] if reason["stage"] == i)
            assert stage["left"] == run["summary"]["proposals"] - sum(one["lost"] for one in stages[:i + 1])
    return compared


def page_of(runs):
    must("report", runs, "-o", f"{runs}.html")
    return FOLDER / f"{runs}.html"


def settled(browser):
    browser.wait("document.querySelector('#page[data-ready]')", "the page is ready")
    browser.run("document.getElementById('page').drawAll();")


def check_console(browser, where, picture=None):
    """The console holds no complaint; leaves a picture of that name where pictures are wanted."""
    complaints = browser.complaints()
    assert not complaints, f"{where}: {complaints}"
    if PICTURES and picture:
        browser.picture(PICTURES / f"{picture}.png")


def accessible(browser, where):
    """Requires no serious finding of axe-core, and no page wider than a small screen."""
    for width, scheme in ((360, "light"), (1280, "dark")):
        browser.emulate(width, scheme)
        browser.wait("document.documentElement.scrollWidth <= innerWidth", f"{where} fits {width} pixels")  # once drawn anew
        browser.run(f"{AXE.read_text()}; window.axe = axe;")
        found = browser.run("""return axe.run().then((all) => all.violations.filter((one) => ['serious', 'critical'].includes(one.impact))
          .map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 200)}`));""")
        assert not found, f"{where}, {width} pixels, {scheme}: {found}"
    browser.emulate(1280, "light")
    settled(browser)


def cell(browser):
    """Position of a filled cell in the map, number of filled cells, its objective."""
    return browser.run("""const figure = document.querySelector('#archive .chart').figure;
      const data = figure.chart.getOption().series[0].data;
      return [figure.pixel({seriesIndex: 0}, data[0].value.slice(0, 2)), data.length, data[0].value[2]];""")


def use_slider(browser):
    _, count, _ = cell(browser)
    took = browser.run("""const input = document.querySelector('#archive input[type=range]'); const began = performance.now();
      input.value = Math.floor(input.max / 20); input.dispatchEvent(new Event('input')); return performance.now() - began;""")
    assert cell(browser)[1] < count, "fewer cells are filled early in the run"
    browser.run("""const input = document.querySelector('#archive input[type=range]');
      input.value = input.max; input.dispatchEvent(new Event('input'));""")
    assert cell(browser)[1] == count
    return took


def open_cell(browser):
    where, _, value = cell(browser)
    browser.click_at("#archive .chart", *where)
    browser.wait("document.querySelector('#archive .brushed tbody tr')", "a click on a cell lists its kernels")
    listed = [float(text) for text in browser.run("return [...document.querySelectorAll('#archive .brushed tbody b')].map((cell) => cell.textContent);")]
    assert listed == sorted(listed, reverse=True) and abs(listed[0] - value) < 1e-3 * max(1, abs(value)), (listed, value)
    browser.click("#archive .brushed button.link")
    shown = float(browser.text("dialog dl.facts b").replace("−", "-"))
    assert abs(shown - value) < 1e-3 * max(1, abs(value)), (shown, value)
    browser.click("dialog button.tab", "Source")
    assert browser.text("dialog .code.source").strip()
    browser.click("dialog button.close")


def open_changes(browser):
    browser.click("#lineage .edges button")
    browser.wait("document.querySelector('dialog[open] .code.diff .added')", "an edge of the lineage opens what changed")
    browser.click("dialog button.tab", "Properties")
    assert "operator" in browser.text("dialog dl.facts")
    browser.click("dialog button.close")
    shown = browser.run("return document.querySelectorAll('#lineage tbody tr').length;")
    if browser.run("return Boolean(document.querySelector('#lineage td button.more'));"):
        browser.click("#lineage td button.more")
        assert browser.run("return document.querySelectorAll('#lineage tbody tr').length;") > shown


def on_paper(browser):
    """Every figure is printed whole, within the width of the paper and in its colours."""
    browser.emulate(700, "light", "print")
    browser.run("dispatchEvent(new Event('beforeprint'));")
    figures = browser.run("""return [...document.querySelectorAll('.chart')].map((box) => {
        const canvas = box.querySelector(':scope > canvas'), inner = canvas.getBoundingClientRect(), outer = box.getBoundingClientRect();
        const bytes = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
        return {name: box.getAttribute('aria-label'), width: inner.right, spare: outer.bottom - inner.bottom,
          colours: new Set(bytes).size, layers: [...box.querySelectorAll(':scope > div')].filter((one) => one.offsetHeight).length};
      });""")
    for one in figures:
        assert one["width"] <= 700 and one["spare"] >= -1 and one["colours"] > 2 and one["layers"] == 0, one
    browser.emulate(1280, "light")


def one_run(browser):
    browser.open(page_of("one"))
    settled(browser)
    sections = browser.run("return [...document.querySelectorAll('section')].map((node) => node.id);")
    assert sections == ["result", "lineage", "archive", "failures", "operators", "progress", "axes", "islands", "provenance"], sections
    drawn = browser.run("return [...document.querySelectorAll('.chart')].map((node) => node.querySelectorAll('canvas').length);")
    assert drawn and all(drawn), drawn
    assert show("one")["champion"]["id"] in browser.text("#result")
    took = use_slider(browser)
    axes_panel(browser)
    open_cell(browser)
    open_changes(browser)
    accessible(browser, "one run")
    on_paper(browser)
    check_console(browser, "one run", "one")
    return took


def several_runs(browser):
    browser.open(page_of("sweep"))
    settled(browser)
    panels = "[...document.querySelectorAll('#arms svg.panel')].map((one) => one.querySelectorAll('.seed').length)"
    assert browser.run(f"return {panels};") == [6, 6], "a thin line a run for each arm"
    for which, count in ((0, 6), (1, 12)):  # an arm, then all
        browser.run(f"const box = document.querySelector('#arms .filters select'); box.selectedIndex = {1 - which}; box.dispatchEvent(new Event('change'));")
        assert browser.run("return document.querySelectorAll('#arms .log tbody tr').length;") == count
    assert not browser.run("return document.getElementById('result');"), "a run is unpacked when it is opened"
    browser.click("#arms .log button.link", "no_crossover.rastrigin.s2")
    browser.wait("document.getElementById('result')", "a click opens a run")
    settled(browser)
    accessible(browser, "a sweep")
    check_console(browser, "a sweep", "sweep")


def measured_run(browser):
    browser.open(page_of("measured"))
    settled(browser)
    sections = browser.run("return [...document.querySelectorAll('section')].map((node) => node.id);")
    assert {"roofline", "time", "noise"} <= set(sections), sections
    drawn = browser.run("return document.querySelector('#roofline .chart').figure.chart.getOption().series.filter((one) => one.type === 'line').length;")
    assert drawn == 2, f"{drawn} ceilings; memory and arithmetic were measured"
    statement = browser.text("#result .statement")
    run = json_of("report", "measured")["runs"][0]
    resolved = any(row["speedup"] for row in run["verified"] if row["role"] == "bench")  # not on a machine that others disturb
    assert ("as fast as" in statement and "95 % sure within" in statement) if resolved else "as seen during the search" in statement, statement
    assert "proposed by" in statement, statement
    check_console(browser, "a measured run", "measured")


def model_run(browser):
    """The recorded search of configs/recordings: letter and answer of a kernel are those of its file."""
    file = unpack_recording("softmax-llm.kev", FOLDER)
    page = page_of(file.name)
    assert page.stat().st_size < 1_500_000, page.stat().st_size
    browser.open(page)
    settled(browser)
    assert "67" in browser.text("#result dl.facts"), "answers"
    browser.click("#result .statement button.link")
    browser.click("dialog button.tab", "Answer")
    shown = browser.text("dialog .body")
    reply, = rows(file, "SELECT n.text FROM stop s JOIN evidence v ON v.candidate_id = s.champion_id JOIN exchange x ON x.key = v.key "
                        "JOIN note n ON n.id = x.reply_id")[0]
    assert reply in shown
    browser.click("dialog button.tab", "Letter")
    assert "system" in browser.text("dialog .body")
    accessible(browser, "a model's answer")
    browser.press("\ue00c")
    browser.wait("!document.querySelector('dialog[open]')", "Escape closes the window")
    lost = browser.text("#failures table")
    assert "expected" in lost, "failures come with their messages"
    check_console(browser, "a model's run", "model")


def fruitless_runs(browser):
    """Runs in which every kernel failed, and in which nothing was proposed."""
    for name, changes in (("failed", ("UPDATE evaluation SET verdict = 'wrong_result', reason = 'mismatch', message = 'y: 3 of 7 wrong'",
                                      "UPDATE stop SET champion_id = NULL", "DELETE FROM archive_event")),
                          ("empty", ("PRAGMA foreign_keys = OFF", "DELETE FROM archive_event", "DELETE FROM migration", "UPDATE stop SET champion_id = NULL",
                                     "DELETE FROM parent", "DELETE FROM evaluation_measure", "DELETE FROM evaluation", "DELETE FROM candidate"))):
        shutil.copytree(FOLDER / "one", FOLDER / name)
        edit(run_file(name), *changes)
        browser.open(page_of(name))
        settled(browser)
        said = browser.text("#result .statement")
        assert ("No kernel passed every check. Most often: wrong result" in said and "3 of 7 wrong" in said) if name == "failed" else "Nothing was proposed" in said, said
        accessible(browser, name)
        check_console(browser, name)


def axes_panel(browser):
    """Compares bars with a count of rows, and rank correlations with SQLite's ranks and Python's
    correlation."""
    ranks = ", ".join(f"rank() OVER (ORDER BY {one}) + (count(*) OVER (PARTITION BY {one}) - 1) / 2.0" for one in ("e.objective", "x.value", "y.value"))
    ranked = rows("one", f"""SELECT {ranks} FROM candidate c JOIN evaluation e ON e.candidate_id = c.id
      JOIN evaluation_measure x ON x.candidate_id = c.id AND x.axis = 'm0' JOIN evaluation_measure y ON y.candidate_id = c.id AND y.axis = 'm1'
      WHERE e.verdict = 'ok' AND c.id IN (SELECT challenger_id FROM archive_event WHERE archive = 'passive')""")
    bars = browser.run("""return [...document.querySelectorAll('#axes .chart')].map((box) => {
      box.figure.draw();
      return box.figure.chart.getOption().series[0].data.reduce((a, b) => a + b);
    });""")
    assert bars == [len(ranked)] * 2, (bars, len(ranked))
    browser.click("#axes summary")
    browser.wait("document.querySelector('#axes details tbody td.number')", "the table behind the figure is shown")
    shown = browser.run("return [...document.querySelectorAll('#axes details tbody td.number')].map((cell) => cell.textContent).filter(Boolean);")
    objective, x, y = zip(*ranked)
    right = [statistics.correlation(*pair) for pair in ((x, objective), (x, y), (y, objective), (y, x))]
    assert all(abs(float(text.replace("\u2212", "-")) - value) <= 0.00501 for text, value in zip(shown, right, strict=True)), (shown, right)


def hostile_run(browser):
    make_hostile()
    browser.open(page_of("hostile"))
    settled(browser)
    browser.click("#lineage td button.link")
    browser.click("dialog button.tab", "Source")
    shown = browser.text("dialog .code.source")
    assert "</script><script>window.owned = 1</script><img" in shown
    assert "\\u{202E}" in shown and "\\u{1B}" in shown and "\u202e" not in shown
    assert "more characters" in shown and len(shown) < 10_000, len(shown)
    browser.click("dialog .code button.more")
    assert len(browser.text("dialog .code.source")) > 1_000_000
    browser.click("dialog button.tab", "Properties")
    assert "\\u{202E}" in browser.text("dialog .body")
    assert browser.run("return [window.owned ?? 0, document.querySelectorAll('img, script').length];") == [0, 3]
    check_console(browser, "a hostile run")


def main():
    make_runs()
    print(f"{figures_equal_rows()} numbers of reports equal those of queries")
    if why := missing_page("one"):
        skip(why)
    size = page_of("one").stat().st_size
    assert size < 2_000_000, size
    browser = Browser()  # may skip from here on
    try:
        began = time.time()
        slider = one_run(browser)
        several_runs(browser)
        measured_run(browser)
        model_run(browser)
        fruitless_runs(browser)
        hostile_run(browser)
    finally:
        browser.close()
    print(f"{size / 1e6:.2f} MB, slider {slider:.0f} ms, all in {time.time() - began:.0f} s")


if __name__ == "__main__":
    main()
