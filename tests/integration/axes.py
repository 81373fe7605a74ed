#!/usr/bin/env python3
"""`kernelevolve axes`: pairs counted by hand, an effect in closed form, and a proposal that a search accepts."""
# Times nothing: may run beside others.
import itertools
import math
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from needs import need  # noqa: E402
from program import SOURCE, call, carry_out, fresh_folder, json_of, must, refused, unpack_recording, write  # noqa: E402

need("pandas", "scipy")
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

sys.path.insert(0, str(SOURCE / "experiments/python"))
from kernelevolve.axes import axes_of, axis_of, bins_of, shares  # noqa: E402

FOLDER = fresh_folder("axes")
RUN = """schema: kernelevolve/1
seed: 1
budget: {{evaluations: 200}}
device: {{kind: function, function: rastrigin, dimensions: 8}}
archive:
  axes:
{axes}"""


def row_of(found, name):
    return next(line for line in found["measures"] if line["measure"] == name)


def pairs_are_counted():
    """Two sources of three kernels: 6 pairs of one source, 9 of two."""
    kernels = pd.DataFrame({"place": [0] * 6, "task": ["t"] * 6, "source": [1, 1, 1, 2, 2, 2], "objective": [1.0, 2, 3, 4, 5, 6]})
    measures = pd.DataFrame({"engine": [0.0, 0, 0, 2, 2, 2],    # tells the sources apart
                             "tile": [1.0, 1, 2, 1, 1, 2],      # a knob: 2 of 6 pairs share a bin, 4 of 9 lie apart
                             "constant": [3.0] * 6, "missing": [1.0, 2, 3, 4, 5, math.nan]})
    found = axes_of(kernels, measures, {"engine": [["single", 0], ["packed", 1], ["mma", 2]], "tile": [], "constant": [], "missing": []})
    assert [line["measure"] for line in found["measures"]] == ["engine", "tile"], found
    engine, tile = row_of(found, "engine"), row_of(found, "tile")
    assert (engine["one_source"], engine["other_sources"], engine["separation"]) == (1, 1, 1), engine
    assert abs(engine["evenness"] - math.log(2) / math.log(3)) < 1e-12, engine
    # Ranks 1 2 3 and 4 5 6: H = 12 / (6 * 7) * (6^2 + 15^2) / 3 - 3 * 7 = 27 / 7, and (H - 2 + 1) / (6 - 2) = 5 / 7.
    assert abs(engine["speed"] - 5 / 7) < 1e-12, engine
    assert abs(tile["one_source"] - 2 / 6) < 1e-12 and abs(tile["other_sources"] - 4 / 9) < 1e-12, tile
    assert found["proposal"] == [{"measure": "engine", "bins": ["single", "packed", "mma"]}], found
    assert (found["cells"], found["filled"], found["separation"]) == (3, 2, 1), found
    assert found["left_out"] == {"constant": "always 3", "missing": "1 kernels lack it"}, found


def bins_hold_equally_many_values():
    """Not equally many kernels, so that a rare value is not lost, nor a narrow range."""
    for values, bins in (([0, 0, 0, 0, 0, 60, 60, 90, 3000], [0, 0, 0, 0, 0, 1, 1, 2, 3]), ([0.9982, 0.9982, 0.9991, 1], [0, 0, 1, 2]),
                         ([-5, -4, -3, -2, -1, 0, 1, 2], [0, 0, 1, 1, 2, 2, 3, 3]), ([7e5, 1e12], [0, 1])):
        values = np.array(values, dtype=float)
        axis = axis_of("m", values, None)
        assert list(bins_of(axis, values, None)) == bins and axis["bins"] == sorted(set(axis["bins"])), (values, axis)


def many_kernels_need_no_pairs():
    """The shares of 20,000 kernels from counts, beside those of every pair of some of them."""
    random = np.random.default_rng(1)
    cells, place, source = random.integers(0, 4, 60), random.integers(0, 2, 60), random.integers(0, 5, 60)
    of = [(i, j) for i, j in itertools.combinations(range(60), 2) if place[i] == place[j]]
    same = [cells[i] == cells[j] for i, j in of if source[i] == source[j]]
    other = [cells[i] != cells[j] for i, j in of if source[i] != source[j]]
    assert np.allclose(shares(cells, place, source), (sum(same) / len(same), sum(other) / len(other)), atol=1e-12)
    assert all(0 < share < 1 for share in shares(*(random.integers(0, 9, 20_000) for _ in range(3))))


def runs_are_kept_apart():
    """Equal sources of two runs are two sources, and no pair holds kernels of two runs."""
    kernels = pd.DataFrame({"place": [0, 0, 1, 1], "task": ["t"] * 4, "source": [1, 1, 1, 2], "objective": [1.0, 2, 3, 4]})
    found = axes_of(kernels, pd.DataFrame({"size": [1.0, 1, 2, 1]}), {})
    assert found["sources"] == 3 and row_of(found, "size")["one_source"] == 1 and row_of(found, "size")["other_sources"] == 1, found


def a_proposal_is_a_configuration():
    write({"first.yaml": RUN.format(axes="    - {measure: m0, bins: 4}\n")})
    must("run", "first.yaml", "-q", "-o", "first")
    out = must("axes", "first")
    assert "function: 200 valid kernels of 1 source" in out, out
    proposal = out.split("archive:\n  axes:\n")[1].split("\n\n")[0] + "\n"
    assert proposal.count("measure:") == 2, out
    write({"second.yaml": RUN.format(axes=proposal)})
    must("run", "second.yaml", "-q", "-o", "second")
    document = json_of("axes", "first")
    assert row_of(document["function"], "m0")["other_sources"] is None, document
    assert document["function"]["filled"] > document["function"]["cells"] / 2, document


def devices_are_kept_apart():
    """Two functions on two islands: one source each, so no pair of two sources."""
    write({"mixed.yaml": """schema: kernelevolve/1
seed: 1
budget: {evaluations: 100}
islands:
  topology: complete
  each:
    - {device: {kind: function, function: rastrigin, dimensions: 8, name: a}}
    - {device: {kind: function, function: sphere, dimensions: 200, name: b}}
"""})
    must("run", "mixed.yaml", "-q", "-o", "mixed")
    found = json_of("axes", "mixed")
    assert list(found) == ["function"] and found["function"]["sources"] == 2, found
    assert all(line["other_sources"] is None for line in found["function"]["measures"]), found


def a_recording_of_a_model_has_kinds():
    """Kernels of a model's five answers, each with other knobs; an archive is no use if one answer fills many cells."""
    found = json_of("axes", unpack_recording("languages/cuda.conv1d.kev", FOLDER))["cuda"]
    assert found["sources"] == 5 and found["separation"] > 0.9, found
    assert not any(line["measure"].startswith("validation") for line in found["measures"]), found


def runs_without_kernels_are_refused():
    code, out, err = call("axes", "nowhere")
    assert code != 0 and "nowhere: no such run file or folder" in err, (code, out, err)
    write({"one.yaml": RUN.format(axes="    - {measure: m0, bins: 4}\n").replace("200", "1")})
    must("run", "one.yaml", "-q", "-o", "one")
    refused(("axes", "one"), "the runs hold no two valid kernels with measures")


if __name__ == "__main__":
    carry_out(pairs_are_counted, bins_hold_equally_many_values, many_kernels_need_no_pairs, runs_are_kept_apart, devices_are_kept_apart,
              a_proposal_is_a_configuration, a_recording_of_a_model_has_kinds, runs_without_kernels_are_refused)
