"""The licence of a problem, as its own file or a licence file above it states it."""

import re

FOLDERS_ABOVE = 4  # of a problem, within its collection
STATED = re.compile(r"SPDX-License-Identifier:\s*([\w.+() -]*[\w.+)])")
KNOWN = (  # first words of a licence, and its SPDX name
    (r"Apache License\s+Version 2\.0", "Apache-2.0"),
    (r"MIT License|Permission is hereby granted, free of charge", "MIT"),
    (r"BSD 3-Clause|Redistribution and use in source and binary forms.*Neither the name", "BSD-3-Clause"),
    (r"GNU GENERAL PUBLIC LICENSE\s+Version 3", "GPL-3.0-only"),
    (r"GNU GENERAL PUBLIC LICENSE\s+Version 2", "GPL-2.0-only"),
)


def _name_of(text):
    """SPDX name of a licence's text, or its first line."""
    spdx = STATED.search(text)
    if spdx:
        return spdx[1]
    for words, name in KNOWN:
        if re.search(words, text[:4000], re.DOTALL):
            return name
    return next((line.strip()[:80] for line in text.splitlines() if line.strip()), "")


def _licence_file(folder):
    try:
        names = [p for p in folder.iterdir() if re.fullmatch(r"(licen[cs]e|copying)(\.(txt|md))?", p.name.lower())]
    except OSError:  # a folder above that may not be listed
        return None
    return min((p for p in names if p.is_file()), default=None)


def folders_above(path):
    """The folders of a problem's collection, nearest first."""
    for folder in list(path.resolve().parents)[:FOLDERS_ABOVE]:
        yield folder
        if (folder / ".git").exists():
            return


def stated_licence(path):
    """Name of the licence; "" where none is stated."""
    own = STATED.search(path.read_text(encoding="utf-8", errors="replace"))
    if own:
        return own[1]
    for folder in folders_above(path):
        file = _licence_file(folder)
        if file is not None:
            return _name_of(file.read_text(encoding="utf-8", errors="replace"))
    return ""
