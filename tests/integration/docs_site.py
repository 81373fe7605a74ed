#!/usr/bin/env python3
# Times nothing: may run beside others.
"""The documentation builds as a site without warnings, every page of it is in the navigation, and every link within it
leads to a file, and to a heading where it names one. Skipped where mkdocs is missing."""
import html.parser
import os
import pathlib
import shutil
import sys
import urllib.parse

sys.path.insert(0, sys.path[0] + "/../support")
from program import SOURCE, outcome, skip  # noqa: E402

SITE = pathlib.Path("site").resolve()


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        self.links += [attributes[name] for name in ("href", "src") if attributes.get(name)]


def build():
    shutil.rmtree(SITE, ignore_errors=True)
    code, out, err = outcome("mkdocs", "build", "--strict", "-f", SOURCE / "experiments/mkdocs.yml", "-d", SITE,
                             PYTHONDONTWRITEBYTECODE="1")
    assert code == 0, out + err
    assert "not included in the" not in err, err


def dead(path, page, pages):
    """Links of a page whose file or heading there is not."""
    for link in page.links:
        target = urllib.parse.urlsplit(link)
        if target.scheme or target.netloc:
            continue
        file = pathlib.Path(os.path.normpath(path.parent / urllib.parse.unquote(target.path))) if target.path else path
        file = file / "index.html" if file.is_dir() else file
        if not file.is_file() or target.fragment and file in pages and target.fragment not in pages[file].ids:
            yield f"{path.relative_to(SITE)}: {link}"


def main():
    if shutil.which("mkdocs") is None:
        skip("mkdocs is missing")
    build()
    pages = {path: Page(path) for path in SITE.rglob("*.html") if path.name != "404.html"}
    findings = [finding for path, page in sorted(pages.items()) for finding in dead(path, page, pages)]
    print("\n".join(findings))
    print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links, {len(findings)} dead")
    return 1 if findings or len(pages) < 50 else 0


sys.exit(main())
