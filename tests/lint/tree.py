"""Shared code of the lint tests: the files of the tree, and the report of findings."""
import ast
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = ("core", "archive", "operators", "fitness")
ROOMS = LIBRARIES + ("experiments", "tests")
CODE = (".cpp", ".hpp", ".h", ".cu", ".def", ".py", ".js", ".mjs")  # files that budgets count


def files(*suffixes, rooms=None):
    """Paths below ROOT (relative, sorted) that git tracks or would track, with one of the suffixes."""
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "-z"],
                            cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = sorted({pathlib.Path(name) for name in listed.split("\0") if name})
    return [path for path in paths
            if (not suffixes or path.suffix in suffixes)
            and (rooms is None or path.parts[0] in rooms) and (ROOT / path).is_file()]


def text(path):
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")


_TOKEN = re.compile(r'R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"'
                    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'|//[^\n]*|/\*.*?\*/", re.DOTALL)


def code(source, keep_strings=False):
    """C++ source with comments (and strings) blanked; line numbers stay."""
    def blank(match):
        token = match.group(0)
        if keep_strings and not token.startswith("/"):
            return token
        kept = "\n" * token.count("\n")
        return kept if token.startswith("/") else '""' + kept
    return _TOKEN.sub(blank, source)


def comments(source):
    """C++ source with all but its // comments blanked; line numbers stay."""
    kept, end = [], 0
    for match in _TOKEN.finditer(source):
        token = match.group(0)
        kept += ["\n" * source.count("\n", end, match.start()),
                 token if token.startswith("//") else "\n" * token.count("\n")]
        end = match.end()
    return "".join(kept + ["\n" * source.count("\n", end)])


def python_code(source):
    """Python source with comments and docstrings blanked; line numbers stay."""
    lines = [re.sub(r"^\s*#.*", "", line) for line in source.split("\n")]
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            first = node.body[0]
            lines[first.lineno - 1:first.end_lineno] = [""] * (first.end_lineno - first.lineno + 1)
    return "\n".join(lines)


def code_lines(path):
    """Lines of a C++, Python or JavaScript file that are neither blank nor comment."""
    source = text(path)
    source = python_code(source) if path.suffix == ".py" else code(source, keep_strings=True)
    return sum(1 for line in source.split("\n") if line.strip())


def report(findings, summary):
    """Prints the findings and ends the program: 0 without findings, 1 otherwise."""
    for finding in findings:
        print(finding)
    print(f"{summary}: {len(findings)} findings")
    sys.exit(1 if findings else 0)
