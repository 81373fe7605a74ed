"""The ```sh blocks of a Markdown page. `<!-- test: COMMAND -->` on the line before a block runs COMMAND in its place;
`<!-- needs: torch -->` leaves the block out where PyTorch is missing."""
import re

BLOCK = re.compile(r"(?:<!-- (?P<kind>test|needs): (?P<value>.*?) -->\s*\n)?```sh\n(?P<body>.*?)^```",
                   re.DOTALL | re.MULTILINE)


def blocks(text):
    """(line, script, what it needs or None) of each block."""
    for block in BLOCK.finditer(text):
        script = block["value"] if block["kind"] == "test" else block["body"]
        yield text.count("\n", 0, block.start("body")) + 1, script, block["value"] if block["kind"] == "needs" else None


def with_less_work(text, settings):
    """The text with other values of settings, each of which must be there: {text: text in its place}."""
    for setting, value in settings.items():
        assert setting in text, f"'{setting}' is not there any more"
        text = text.replace(setting, value)
    return text


def lessen_work(folder, settings):
    """Does so in files of a copy of the tree. settings: by the path of the file."""
    for name, own in settings.items():
        path = folder / name
        path.write_text(with_less_work(path.read_text(), own))
