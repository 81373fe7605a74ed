#!/usr/bin/env python3
"""No two headers define types of one name in one namespace: the linker would silently mix them (one definition rule)."""
import re
import sys

import tree

OPENS = re.compile(r"namespace ([\w:]+)? ?\{$")
CLOSES = re.compile(r"\}  // namespace")
DEFINES = re.compile(r"(?:template .*)?(?:struct|class|enum|enum class) ([\w:]+)(?: final)?(?: ?:.*)?(?: \{.*)?$")


def types(text):
    """Full names of types at the start of a line, with their line numbers from 1."""
    scopes = []
    for number, line in enumerate(text.splitlines(), 1):
        if opened := OPENS.match(line):
            scopes.append(opened[1] or "(anonymous)")
        elif CLOSES.match(line):
            scopes.pop()
        elif (defined := DEFINES.match(line)) and "(anonymous)" not in scopes:
            yield "::".join([*scopes, defined[1]]), number


def main():
    places = {}
    for path in tree.files(".hpp", rooms=tree.ROOMS):
        for name, number in types(tree.text(path)):
            places.setdefault(name, []).append(f"{path}:{number}")
    findings = [f"{second}: type {name} stands also at {first}"
                for name, (first, *others) in sorted(places.items()) for second in others]
    tree.report(findings, f"{len(places)} types")


if __name__ == "__main__":
    sys.exit(main())
