"""Hooks of mkdocs. The site holds the pages of this folder and every file of the tree that a page links to, each at its
place in the tree, so that links work as they stand; the navigation is the list of pages in README.md.
"""
import os
import pathlib
import re

from mkdocs.structure.files import File

DOCS = pathlib.Path(__file__).resolve().parent
ROOT = DOCS.parents[1]
LINK = re.compile(r"\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)#\s:]+)(?P<rest>#[^)\s]*)?\)")


def target_of(page, link):
    return pathlib.Path(os.path.normpath(page.parent / link["target"]))


def reachable():
    """Every page of this folder, and every file that a page links to."""
    found, todo = set(), sorted(DOCS.rglob("*.md"))
    while todo:
        path = todo.pop()
        path = path / "README.md" if path.is_dir() else path
        if path in found or not path.is_file() or ROOT not in path.parents:
            continue
        found.add(path)
        if path.suffix == ".md":
            todo += [target_of(path, link) for link in LINK.finditer(path.read_text())]
    return sorted(found)


def navigation(paths):
    """The list of pages by group, then what else of the tree is in the site."""
    nav = [{"Home": "README.md"}, {"Pages": "experiments/docs/README.md"}]
    for section in (DOCS / "README.md").read_text().split("\n---\n")[0].split("\n## ")[1:]:
        pages = re.findall(r"\[([^\]]+)\]\(([\w/-]+\.md)\)", section)
        nav.append({section.split("\n", 1)[0]: [{title: f"experiments/docs/{name}"} for title, name in pages]})
    others = [path for path in paths if path.suffix == ".md" and DOCS not in path.parents and path != ROOT / "README.md"]
    return nav + [{"Source tree": [path.relative_to(ROOT).as_posix() for path in others]}]


def on_files(files, config):
    for file in [file for file in files if DOCS in pathlib.Path(file.abs_src_path).parents]:
        files.remove(file)
    paths = reachable()
    for path in paths:
        files.append(File(str(path.relative_to(ROOT)), str(ROOT), config.site_dir, config.use_directory_urls))
    config.nav = navigation(paths)
    return files


def on_page_markdown(markdown, page, config, files):
    """A link to a folder goes to its README.md; where it has none, the text alone stays."""
    def relinked(link):
        folder = target_of(pathlib.Path(page.file.abs_src_path), link)
        if not folder.is_dir():
            return link[0]
        return f"[{link['text']}]({link['target'].rstrip('/')}/README.md)" if (folder / "README.md").is_file() \
            else link["text"]
    return LINK.sub(relinked, markdown)
