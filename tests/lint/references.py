#!/usr/bin/env python3
"""Every [Key2015] that a source, table or README cites stands in papers/references.bib, once, with title and year; the
claims and predictions of every study give the hash that their file states; and all places state the version of
CMakeLists.txt."""
import re
import sys

import tree

BIB = "papers/references.bib"
CITED = re.compile(r"\[([A-Z][A-Za-z]+(?:19|20)\d\d[a-z]*)(?=[\],; ])")
ENTRY = re.compile(r"^@\w+\{(\w+),(.*)\}$", re.MULTILINE)


def cited(path):
    """(line, key) of each citation; one bracket may hold several, separated by commas or
    semicolons."""
    for number, line in enumerate(tree.text(path).splitlines(), 1):
        for bracket in re.findall(r"\[[^\[\]]*\]?", line):
            for part in re.split(r"[,;]", bracket.lstrip("[")):
                found = CITED.match("[" + part.strip().rstrip("]") + "]")
                if found:
                    yield number, found.group(1)


def check_entries(entries):
    keys = [key for key, _ in entries]
    for key, body in entries:
        if keys.count(key) > 1:
            yield f"{BIB}:1: '{key}' stands there twice"
        year = re.search(r"year = \{(\d{4})\}", body)
        if not year or "title = {" not in body or "author = {" not in body:
            yield f"{BIB}:1: '{key}' lacks author, title or year"
    if keys != sorted(keys):
        yield f"{BIB}:1: entries are not sorted by key"


def check_claims():
    sys.path.insert(0, str(tree.ROOT / "papers"))
    sys.dont_write_bytecode = True
    import check_claims as study
    for path in tree.files(".yaml"):
        if path.parts[0] != "papers" or not (path.name == "claims.yaml" or path.name.startswith("predictions")):
            continue
        header, claims = study.read_claims(tree.ROOT / path)
        if not claims or header.get("hash") != study.digest(claims):
            yield f"{path}:1: its claims do not give the hash that it states; they were changed after they were dated"


VERSIONS = [  # the first place decides
    ("CMakeLists.txt", r"project\(KernelEvolve VERSION (\S+)"),
    ("CITATION.cff", r"^version: (\S+)"),
    ("CHANGELOG.md", r"^## (\d+\.\d+\.\d+)"),
    ("experiments/python/kernelevolve/__init__.py", r'^__version__ = "(.*)"'),
    ("tests/integration/install/CMakeLists.txt", r"find_package\(KernelEvolve (\S+)"),
]


def check_versions(text):
    """`text`: gives the text of a file."""
    stated = [(path, re.search(pattern, text(path), re.MULTILINE)) for path, pattern in VERSIONS]
    wanted = stated[0][1]
    for path, found in stated:
        if not found or not wanted or found[1] != wanted[1]:
            yield f"{path}:1: states version {found and found[1]}, {VERSIONS[0][0]} {wanted and wanted[1]}"


def main():
    entries = ENTRY.findall(tree.text(BIB))
    known = {key for key, _ in entries}
    findings, count = [*check_entries(entries), *check_claims(), *check_versions(tree.text)], 0
    for path in tree.files(".hpp", ".cpp", ".def", ".md"):
        for number, key in cited(path):
            count += 1
            if key not in known:
                findings.append(f"{path}:{number}: [{key}] is not in {BIB}")
    if count < 30:
        findings.append(f"{BIB}:1: only {count} citations found; the pattern is blind")
    tree.report(findings, f"{count} citations of {len(known)} references")


if __name__ == "__main__":
    sys.exit(main())
