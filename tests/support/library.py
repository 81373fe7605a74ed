"""A library that `dispatch` made, as C and the linker see it."""
from program import outcome


def ran(*words):
    code, out, err = outcome(*words)
    assert code == 0, (words, out, err)
    return out


def compile_header(path):
    ran("gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c", path)


def exported(path):
    """Names of its functions."""
    return sorted(line.split()[-1] for line in ran("nm", "-D", "--defined-only", path).splitlines())


def dynamic_section(path):
    return ran("readelf", "-d", path)
