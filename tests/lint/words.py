#!/usr/bin/env python3
"""Words that the style forbids, where it forbids them. Each rule: pattern, where, what to do instead."""
import re
import sys

import tree

PROGRAM = re.compile(r"(main\.cpp$|/programs/)")
LAST_WORDS = "core/result.cpp"  # a failed KE_CHECK says where before it stops the program


def anywhere(path):
    return True


def outside_tests(path):
    return path.parts[0] != "tests"


def in_libraries(path):
    return path.parts[0] in tree.LIBRARIES and not PROGRAM.search(str(path)) and str(path) != LAST_WORDS


def outside_programs(path):
    return outside_tests(path) and not PROGRAM.search(str(path))


RULES = [
    (r"\bstd::(basic_)?regex\b|#\s*include\s*<regex>", anywhere, "parse by hand: std::regex is slow and overflows"),
    (r"\bstd::\w+_distribution\b", anywhere, "own distributions: those of std differ between libraries"),
    (r"\brandom_device\b|\bstd::s?rand\b|\bmt19937", outside_tests, "random numbers come from RandomStream"),
    (r"\b(std::|::)?(secure_)?getenv\s*\(", outside_programs, "only the command line reads the environment"),
    (r"\bstd::c(out|err|log)\b|\b(std::)?(f|v|vf)?printf\s*\(|\b(std::)?f?puts\s*\(|\bfmt::print\b", in_libraries,
     "libraries do not print: return a value or an Error"),
    (r"\b(std::)?(exit|quick_exit)\s*\(", in_libraries, "libraries do not end the program: return an Error"),
]
RAW_RULES = [
    (r"\b(TODO|FIXME|XXX)\b", "finish it, or open an issue"),
    (r"(?<![\w.$}\"])/(work|Users|home/(?!user\b))(/|\b)[\w.-]*", "a path of one machine"),
]
COMMENT_RULES = [
    (r"^//[/!]?<?[ \t]*(Of|What)\b", "begin with the subject: a reader must not decode the sentence"),
]


def scan(path, body, pattern, advice):
    for number, line in enumerate(body.splitlines(), 1):
        found = re.search(pattern, line)
        if found:
            yield f"{path}:{number}: '{found.group(0).strip()}': {advice}"


def main():
    findings = []
    sources = tree.files(".hpp", ".cpp", rooms=tree.ROOMS)
    for path in sources:
        body = tree.code(tree.text(path))
        for pattern, where, advice in RULES:
            if where(path):
                findings += scan(path, body, pattern, advice)
        for pattern, advice in COMMENT_RULES:
            findings += scan(path, tree.comments(tree.text(path)), pattern, advice)
    everything = [path for path in tree.files() if path.parts[:2] != ("tests", "lint") and path.name != "LICENSE"
                  and path.suffix not in (".png", ".svg", ".kev", ".gz", ".json")]
    for path in everything:
        for pattern, advice in RAW_RULES:
            findings += scan(path, tree.text(path), pattern, advice)
    tree.report(findings, f"{len(sources)} sources, {len(everything)} files")


if __name__ == "__main__":
    sys.exit(main())
