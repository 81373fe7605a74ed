#!/usr/bin/env python3
"""Prints how long files and functions are, and fails on those far above the style's aim, and on rooms above their budget.

Lines are code lines: neither blank nor comment. A function is counted from its opening to its closing brace line. The
budgets are the table of core/README.md under "Size": lines and files of C++, Python and JavaScript.
"""
import collections
import re
import sys

import tree

FILE_LIMIT = 600
FUNCTION_LIMIT = 120
# The head of a function body: `)` or a qualifier or an initialiser list before `{`, and no control keyword.
CONTROL = re.compile(r"\b(if|for|while|switch|catch|else|do|try|namespace|class|struct|union|enum|return)\b[^;{}]*$")
HEAD = re.compile(r"\)\s*(const|noexcept|override|final|mutable|&&?|->\s*[\w:<>,&*\s]+|:\s*[^;]*)*\s*$", re.DOTALL)


def code_lines(body):
    return sum(1 for line in body.splitlines() if line.strip())


def functions(body):
    """(first line, code lines) of each outermost function body."""
    head_start, open_at, depth, initialiser = 0, None, 0, 0
    for at, char in enumerate(body):
        # `member{value}` has no space before its brace and belongs to the head of the function.
        if open_at is None and (initialiser or (char == "{" and at and not body[at - 1].isspace())):
            initialiser += (char == "{") - (char == "}")
        elif open_at is not None:
            depth += (char == "{") - (char == "}")
            if depth == 0:
                yield body.count("\n", 0, open_at) + 1, code_lines(body[open_at:at + 1])
                open_at, head_start = None, at + 1
        elif char == "{":
            head = body[head_start:at]
            if HEAD.search(head) and not CONTROL.search(head.rpartition(")")[0].split("(")[0] or " "):
                open_at, depth = at, 1
            head_start = at + 1
        elif char in ";}":
            head_start = at + 1


def distribution(name, values, limit):
    ordered = sorted(values) or [0]
    rank = lambda share: ordered[min(len(ordered) - 1, int(share * len(ordered)))]
    print(f"{name}: {len(values)}, code lines p50 {rank(.5)}, p90 {rank(.9)}, max {ordered[-1]} (limit {limit})")


def preprocessed(source):
    """Removes comments, strings and macro definitions, whose braces need not pair up."""
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda m: "\n" * m.group(0).count("\n"), tree.code(source),
                  flags=re.MULTILINE)


def budgets(page):
    """{room: (code lines, files)} of the table under "Size"."""
    rows = re.findall(r"^\| `([\w/]+)` \| ([\d,]+) \| ([\d,]+) \|$", page.partition("\n## Size\n")[2], re.MULTILINE)
    return {room: tuple(int(number.replace(",", "")) for number in numbers) for room, *numbers in rows}


def room_of(path, rooms):
    """The longest room that the path is in, or None."""
    return max((room for room in rooms if path.as_posix().startswith(room + "/")), key=len, default=None)


def over_budget(spent, allowed):
    """What to say of each room that has more lines or files than its budget."""
    for room, (lines, count) in allowed.items():
        if spent[room][0] > lines or spent[room][1] > count:
            yield (f"{room}: {spent[room][0]} code lines in {spent[room][1]} files; its budget is {lines} in {count} "
                   "(core/README.md): take something out, or say in the commit what the room needs more for")


def check_budgets():
    allowed = budgets(tree.text("core/README.md"))
    spent = collections.defaultdict(lambda: [0, 0])
    for path in tree.files(*tree.CODE, rooms=tree.ROOMS):
        room = room_of(path, allowed)
        if room is None:
            yield f"{path}:1: its room has no budget (core/README.md)"
            continue
        spent[room][0] += tree.code_lines(path)
        spent[room][1] += 1
    print("code lines and files: " + ", ".join(f"{room} {lines} in {count}" for room, (lines, count) in sorted(spent.items())))
    yield from over_budget(spent, allowed)


def main():
    findings, file_lines, function_lines = [], {"code": [], "tests": []}, {"code": [], "tests": []}
    for path in tree.files(".hpp", ".cpp", rooms=tree.ROOMS):
        kind = "tests" if path.parts[0] == "tests" else "code"
        source = tree.text(path)
        lines = code_lines(tree.code(source))
        file_lines[kind].append(lines)
        if len(source.splitlines()) > FILE_LIMIT:
            findings.append(f"{path}:1: {len(source.splitlines())} lines; the limit is {FILE_LIMIT}")
        for first, count in functions(preprocessed(source)):
            function_lines[kind].append(count)
            if count > FUNCTION_LIMIT:
                findings.append(f"{path}:{first}: a function of {count} lines; the limit is {FUNCTION_LIMIT}")
    for kind in ("code", "tests"):
        distribution(f"files ({kind})", file_lines[kind], FILE_LIMIT)
        distribution(f"functions ({kind})", function_lines[kind], FUNCTION_LIMIT)
    tree.report(findings + list(check_budgets()), "sizes")


if __name__ == "__main__":
    sys.exit(main())
