"""Landscapes of the T4 format, of which the device `landscape` reads times."""
import itertools


def landscape(axes, time_of, fault="runtime"):
    """All points of {name: values}: time_of gives the time of one in ms; None: a kernel with the fault."""
    results = []
    for values in itertools.product(*axes.values()):
        time = time_of(*values)
        results.append({"configuration": dict(zip(axes, values)), "times": {"runtimes": [time or 0]},
                        "invalidity": "correct" if time else fault, "objectives": ["time"],
                        "measurements": [{"name": "time", "value": time or "failed"}]})
    return {"metadata": {"timeunit": "milliseconds"}, "results": results, "schema_version": "1.0.0"}


def bowl(number):
    """72 points, a few of which fail, with another optimum for each number."""
    def time_of(a, b, c):
        failed = (a + 2 * b + 3 * c + number) % 11 == 0
        return None if failed else 1 + (a - number % 6) ** 2 + 0.5 * (b - 2) ** 2 + 0.25 * c * (1 + number)
    return landscape({"a": range(6), "b": range(4), "c": range(3)}, time_of)
