"""Finds expressions over axes for the lengths of tensors, from samples."""

import fractions
import math


def evaluate(text, axes):
    """The value of an expression; `/` divides integers."""
    functions = {"min": min, "max": max, "ceil_div": lambda a, b: -(-a // b), "__builtins__": {}}
    return eval(str(text).replace("/", "//"), functions, dict(axes))


def last_good(works, good, bad):
    """The integer from `good` towards `bad`, which does not work, up to which all work, by bisection."""
    while abs(good - bad) > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if works(middle) else (good, middle)
    return good


def _atom(text):
    return text if text.isidentifier() or text.isdigit() else f"({text})"


def _linear(p, axis, c):
    text = axis if p == 1 else f"{p}*{axis}"
    return text if c == 0 else f"{text} {'+' if c > 0 else '-'} {abs(c)}"


def fit_line(axis, points):
    """(p*axis + c)/q, rounded down, through all points [(length, value)], or None."""
    (x0, y0), (x1, y1) = min(points), max(points)
    for bound in (1, 4, 16, 64):
        slope = fractions.Fraction(y1 - y0, x1 - x0).limit_denominator(bound)
        p, q = slope.numerator, slope.denominator
        if p <= 0:
            continue
        lower = max(q * y - p * x for x, y in points)
        upper = min(q * y - p * x + q - 1 for x, y in points)
        if lower <= upper and p * x0 + lower >= 0:
            text = _linear(p, axis, lower)
            return text if q == 1 else f"{_atom(text)}/{q}"
    return None


def _fit_product(series, at_base):
    """Product of one expression per axis times a constant."""
    factors, product = [], fractions.Fraction(at_base)
    for axis, points in series.items():
        common = math.gcd(*[value for _, value in points])
        text = fit_line(axis, [(x, y // common) for x, y in points])
        if text is None:
            return None
        factors.append(_atom(text))
        product /= fractions.Fraction(at_base, common)
    if product.denominator == 1:
        return "*".join(([str(product.numerator)] if product != 1 else []) + factors)
    if product.numerator == 1:
        return f"{'*'.join(factors)}/{product.denominator}"
    return None


def _fit_sum(series, base, at_base):
    """Sum of p*axis terms and a constant."""
    terms, rest = [], at_base
    for axis, points in series.items():
        (x0, y0), (x1, y1) = min(points), max(points)
        if x1 == x0 or (y1 - y0) % (x1 - x0) or y1 <= y0:
            return None
        slope = (y1 - y0) // (x1 - x0)
        terms.append(_linear(slope, axis, 0))
        rest -= slope * base[axis]
    text = " + ".join(terms)
    return text if rest == 0 else f"{text} {'+' if rest > 0 else '-'} {abs(rest)}"


def fit_measure(samples, base, index):
    """(expression or None, axes that it depends on) of one measured length.

    samples: [(axes, measures)], including series that vary a single axis of base."""
    at_base = next(measures[index] for axes, measures in samples if axes == base)
    series = {}
    for axis in base:
        points = [(axes[axis], measures[index]) for axes, measures in samples
                  if all(axes[other] == base[other] for other in base if other != axis)]
        if len({value for _, value in points}) > 1:
            series[axis] = points
    if not series:
        candidates = [str(at_base)]
    elif len(series) == 1:
        candidates = [fit_line(*next(iter(series.items())))]
    else:
        candidates = [_fit_product(series, at_base), _fit_sum(series, base, at_base)]
    for text in candidates:
        if text and all(evaluate(text, axes) == measures[index] for axes, measures in samples):
            return text, set(series)
    return None, set(series) or set(base)


def product_text(factors):
    """Product of expressions, numbers multiplied out: (number, text)."""
    number, rest = 1, []
    for factor in map(str, factors):
        if factor.isdigit():
            number *= int(factor)
        else:
            head, _, tail = factor.partition("*")
            if head.isdigit() and "/" not in factor and " " not in factor:
                number, factor = number * int(head), tail
            rest.append(factor if all(c.isalnum() or c in "_*" for c in factor) else f"({factor})")
    return number, "*".join(sorted(rest))


def sum_text(products):
    """Sum of (number, text) terms; merges terms of equal text."""
    totals = {}
    for number, text in products:
        totals[text] = totals.get(text, 0) + number
    constant = totals.pop("", 0)
    terms = [text if number == 1 else f"{number}*{text}" for text, number in totals.items()]
    return " + ".join(terms + ([str(constant)] if constant or not terms else []))
