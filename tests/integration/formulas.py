#!/usr/bin/env python3
"""Formulas as exported libraries evaluate them (core/formula.hpp, compiled as a library compiles it)
have the values that Python's integers give: of random formulas, at small and extreme numbers, with
division by zero and overflow."""
# Times nothing: may run beside others.
import random
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from program import SOURCE, fresh_folder  # noqa: E402

PROGRAM = """#include <iostream>
#include "formula.hpp"
int main() {
  const char* const faults[] = {"", "no formula", "unknown name", "zero divisor", "overflow"};
  for (std::string line; std::getline(std::cin, line);) {
    const ke::Formula formula(line, [](std::string_view name) -> ke::Formula::Step {
      return {ke::Formula::Step::name, name[0] - 'a'};
    });
    const auto value = formula.evaluate([](std::int64_t index) -> ke::Formula::Value {
      const std::int64_t values[] = {0, 1, -1, 7, 4096, -13, INT64_MAX, INT64_MIN};
      return {values[index], ke::Formula::Fault::none};
    });
    const auto fault = static_cast<int>(value.fault);
    std::cout << (fault == 0 ? std::to_string(value.number) : faults[fault]) << "\\n";
  }
}
"""
VALUES = dict(zip("abcdefgh", (0, 1, -1, 7, 4096, -13, 2**63 - 1, -2**63)))
COMPARED = {"==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
            ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}
LEVELS = {"||": 0, "&&": 1, "==": 2, "!=": 2, "<": 3, "<=": 3, ">": 3, ">=": 3, "+": 4, "-": 4, "*": 5, "/": 5, "%": 5}
FUNCTIONS = ("min", "max", "ceil_div", "round_up")


class Fault(Exception):
    pass


def in_64_bits(number):
    if not -2**63 <= number < 2**63:
        raise Fault("overflow")
    return number


def quotient(a, b):
    """Towards zero, as in C."""
    if b == 0:
        raise Fault("zero divisor")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def computed(op, a, b):
    if op in COMPARED:
        return int(COMPARED[op](a, b))
    if op in ("min", "max"):
        return min(a, b) if op == "min" else max(a, b)
    if op in ("+", "-", "*"):
        return in_64_bits({"+": a + b, "-": a - b, "*": a * b}[op])
    whole = quotient(a, b)
    if op in ("/", "%"):
        return in_64_bits(whole) if op == "/" else a - whole * b
    return in_64_bits(-(-a // b) * (b if op == "round_up" else 1))


def value(tree):
    kind, *parts = tree
    if kind == "number":
        return parts[0]
    if kind == "name":
        return VALUES[parts[0]]
    a = value(parts[0])
    if kind in ("!", "neg"):
        return int(a == 0) if kind == "!" else in_64_bits(-a)
    if kind in ("||", "&&"):
        return int(kind == "||") if (a != 0) == (kind == "||") else int(value(parts[1]) != 0)
    return computed(kind, a, value(parts[1]))


def text(tree, level=0):
    """With no more parentheses than C needs."""
    kind, *parts = tree
    if kind in ("number", "name"):
        return str(parts[0])
    if kind in ("!", "neg"):
        return ("!" if kind == "!" else "-") + text(parts[0], 9)
    if kind in FUNCTIONS:
        return f"{kind}({text(parts[0])}, {text(parts[1])})"
    own = LEVELS[kind]
    inner = f"{text(parts[0], own)} {kind} {text(parts[1], own + 1)}"
    return f"({inner})" if own < level else inner


def drawn(draw, depth):
    if depth == 0 or draw.random() < 0.2:
        return ("number", draw.choice((0, 1, 2, 3, 64, 2**31, 2**63 - 1))) if draw.random() < 0.5 else (
            "name", draw.choice("abcdefgh"))
    if draw.random() < 0.15:
        return draw.choice(("!", "neg")), drawn(draw, depth - 1)
    return draw.choice([*LEVELS, *FUNCTIONS]), drawn(draw, depth - 1), drawn(draw, depth - 1)


def deepest():
    """As deep as the parser allows, each term waiting for the next."""
    tree, one = ("number", 2), ("number", 1)
    for _ in range(65):
        tree = ("max", one, tree)
        for op in ("*", "+", "<", "==", "&&", "||"):
            tree = (op, ("number", 0) if op == "||" else one, tree)
    return tree


def expected(tree):
    try:
        return str(value(tree))
    except Fault as fault:
        return str(fault)


def main():
    folder = fresh_folder("formulas")
    (folder / "formulas.cpp").write_text(PROGRAM)
    subprocess.run(["g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined",
                    "-fno-sanitize-recover", f"-I{SOURCE}/core", "-o", "formulas", "formulas.cpp"], check=True)
    draw = random.Random(1)
    trees = [drawn(draw, draw.randint(1, 6)) for _ in range(20_000)]
    trees.append(deepest())
    done = subprocess.run(["./formulas"], input="".join(text(tree) + "\n" for tree in trees), capture_output=True,
                          text=True, check=True)
    wanted = [expected(tree) for tree in trees]
    for tree, got, right in zip(trees, done.stdout.splitlines(), wanted, strict=True):
        assert got == right, (text(tree), got, right)
    faults = {fault: wanted.count(fault) for fault in ("overflow", "zero divisor")}
    assert all(count > 100 for count in faults.values()) and sum(faults.values()) < len(trees) / 2, faults
    print(f"{len(trees)} formulas as Python computes them, {faults}")


if __name__ == "__main__":
    main()
