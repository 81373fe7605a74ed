"""Draws the figures of runs and checks what is drawn, by the extents that matplotlib computes.

usage: check_figures.py FOLDER_OF_PACKAGE CASES.json, with {folder: {"runs": [...], "figures": [...]}}
Every figure is one or two columns wide and no taller than a page. Every text has at least 7 points and lies inside;
labels of one axis, titles and legends do not overlap. Draws PDF, and prints the number of figures.
"""
import itertools
import json
import sys

sys.path.insert(0, sys.argv[1])
import matplotlib  # noqa: E402

matplotlib.use("agg")
from kernelevolve import figures, runs, style  # noqa: E402

SLACK = 0.6  # points


def visible(text):
    return text.get_visible() and text.get_text().strip()


def texts_of(figure):
    found = [text for text in figure.findobj(matplotlib.text.Text) if visible(text)]
    for axes in figure.axes:  # ticks outside of the view are not drawn
        for axis, (low, high) in ((axes.xaxis, sorted(axes.get_xlim())), (axes.yaxis, sorted(axes.get_ylim()))):
            hidden = {label for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]
                      for label in (tick.label1, tick.label2) if not low - 1e-9 <= tick.get_loc() <= high + 1e-9}
            found = [text for text in found if text not in hidden]
    return found


def overlap(a, b):
    return min(a.x1, b.x1) - max(a.x0, b.x0) > 1 and min(a.y1, b.y1) - max(a.y0, b.y0) > 1


def check(figure, path):
    figure.draw_without_rendering()
    width, height = figure.get_size_inches()
    assert any(abs(width - one) < 0.005 for one in (3.33, 7.0)), (path, width)
    assert height <= 8.7, (path, height)
    slack = SLACK * figure.dpi / 72
    whole, texts = figure.bbox, texts_of(figure)
    boxes = [(text, text.get_window_extent()) for text in texts]
    for text, box in boxes:
        assert text.get_fontsize() >= 7, (path, text)
        inside = (whole.x0 - slack <= box.x0 and box.x1 <= whole.x1 + slack and whole.y0 - slack <= box.y0
                  and box.y1 <= whole.y1 + slack)
        assert inside, (path, text, box, whole)
    straight = [(text, box) for text, box in boxes if text.get_rotation() in (0, 90)]
    for (a, first), (b, second) in itertools.combinations(straight, 2):
        inner = a.axes is not None and a in a.axes.texts or b.axes is not None and b in b.axes.texts
        assert inner or not overlap(first, second), (path, a, b)


def main():
    count = 0
    save = style.save

    def checked(figure, path, formats):
        nonlocal count
        check(figure, path)
        figure.set_layout_engine("none")  # it stands
        save(figure, path, formats)
        count += 1

    style.save = checked
    for folder, case in json.load(open(sys.argv[2])).items():
        manifest, why = figures.write(runs.open(case["runs"]), folder, figures=case["figures"], formats=["pdf"])
        assert not why and manifest["figures"], (folder, why)
    print(count)


main()
