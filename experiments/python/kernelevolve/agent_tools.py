"""Tools for agents over standard input and output (Model Context Protocol): `python3 -m kernelevolve mcp FOLDER`.

An agent checks tasks, judges kernels of its own, and runs searches whose letters it answers. All that it writes lies below
FOLDER. It spends at most what the person who started the server allows: no argument of a tool lifts that.
"""
import argparse
import functools
import json
import pathlib
import re
import subprocess

SUFFIXES = {"cpp": ".cpp", "cuda": ".cu", "hip": ".hip", "opencl": ".cl", "python": ".py"}
# What an agent may set of an experiment: nothing that spends more, starts programs or weakens the walls around a kernel.
SETTABLE = re.compile(r"(task|seed|kernels|archive(\.\w+)*|strategy(\.\w+)*|islands(\.\w+)*|operators\.(?!command)\w+(\.\w+)*)=[^{}]*")
LETTERS = "llm={kind: mailbox, folder: letters, settle: 0ms}"  # without dollars, the agent answers what a model would be asked
INSTRUCTIONS = """KernelEvolve searches for fast compute kernels. `contract` says what a task computes and what a kernel's
signature is; `evaluate` compiles, checks and times a kernel of yours; `run` starts a search and `letters` shows what it asks:
answer each with `answer`, then `resume`. `show` tells the verified speedups. A verdict other than `ok` comes with its reason."""


class Refused(Exception):
    """What the caller asked for is not allowed; the text says what is."""


class Program:
    """The command line program, within the limits of one server. What an agent reads of its `tools` are their docstrings.

    folder: below it lies all that is written; evaluations, dollars: what all calls together may spend; seconds: how long
    one call waits for a search, which then goes on in the background.
    """

    def __init__(self, program, folder, evaluations, dollars, seconds):
        self.program, self.folder = program, pathlib.Path(folder).resolve()
        self.evaluations, self.dollars, self.seconds = evaluations, dollars, seconds
        self.searches = {}  # folder -> process
        self.folder.mkdir(parents=True, exist_ok=True)

    def tools(self):
        return [self.contract, self.check, self.list_all, self.evaluate, self.run, self.resume, self.letters, self.answer, self.show,
                self.compare]

    def call(self, *words):
        """(exit code, what it says)."""
        done = subprocess.run([self.program, *map(str, words)], cwd=self.folder, text=True, capture_output=True)
        return done.returncode, done.stdout.strip() or done.stderr.strip()

    def below(self, name):
        path = (self.folder / name).resolve()
        if path == self.folder or self.folder not in path.parents:
            raise Refused(f"'{name}' does not lie below {self.folder}")
        return path

    def spend(self, evaluations):
        if evaluations < 1 or evaluations > self.evaluations:
            raise Refused(f"{evaluations} evaluations: {self.evaluations} are left, and a call takes at least 1")
        self.evaluations -= evaluations

    def contract(self, task: str, language: str = "cpp") -> str:
        """What a task computes: arguments, types, accuracy, public shapes, the kernel's signature."""
        return self.call("show", "contract", task, language)[1]

    def check(self, what: str) -> str:
        """Admits a task (name or folder) or an experiment (YAML file), or says why not."""
        return self.call("check", what)[1]

    def list_all(self, topic: str = "tasks") -> str:
        """Lists tasks, operators, strategies, archives, options, ... by topic."""
        return self.call("list", topic)[1]

    def evaluate(self, task: str, source: str, language: str = "cpp", against: str = "naive", device: str = "") -> str:
        """Compiles, checks and times one kernel. language: cpp, cuda, hip, opencl or python; against: naive, anchor or a baseline."""
        if language not in SUFFIXES:
            raise Refused(f"language '{language}' is none of {', '.join(SUFFIXES)}")
        if not re.fullmatch(r"\w*", device):
            raise Refused(f"device '{device}' is no name of a device")
        self.spend(1)
        kernels = self.below("kernels")
        kernels.mkdir(exist_ok=True)
        path = kernels / f"{len(list(kernels.iterdir()))}{SUFFIXES[language]}"
        path.write_text(source)
        words = [f"device={device}"] if device else []
        return self.call("eval", task, path, *words, "--against", against, "--json")[1]

    def run(self, experiment: str, folder: str, evaluations: int, settings: list[str] = []) -> str:  # noqa: B006, part of a schema
        """Starts a search. experiment: a YAML file; folder: where its results go; settings such as "task=softmax"."""
        wrong = [word for word in settings if not SETTABLE.fullmatch(word)]
        if wrong:
            raise Refused(f"'{wrong[0]}' cannot be set here; what can: task, seed, kernels, archive, strategy, islands, operators")
        target = self.below(folder)
        if target.exists():
            raise Refused(f"{target} exists; resume goes on with it")
        words = [experiment, *settings, f"budget.evaluations={evaluations}"]
        code, said = self.call("check", *words, "--json")
        if code != 0:
            return said
        if json.loads(said)["runs"] != 1:
            raise Refused(f"{experiment} describes {json.loads(said)['runs']} runs; name one task and one seed")
        if re.search(r"llm\.kind = (?!mailbox)", json.loads(said)["config"]):
            words.append(f"llm.budget.dollars={self.dollars}" if self.dollars > 0 else LETTERS)
            self.dollars = 0  # the limit is that of one search
        self.spend(evaluations)
        return self.wait(target, ["run", *words, "-o", target])

    def resume(self, folder: str) -> str:
        """Goes on with a search after its letters were answered, or waits for one that runs."""
        return self.wait(self.below(folder), ["resume", self.below(folder)])

    def wait(self, folder, words):
        """Starts a search, or goes on waiting for it; says what it has found when it ends or the patience does."""
        running = self.searches.get(folder)
        if running is None or running.poll() is not None:
            running = self.searches[folder] = subprocess.Popen(
                [self.program, *map(str, words), "-q", "--until-waiting"], cwd=self.folder, text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=(self.folder / "errors.txt").open("w"))
        try:
            code = running.wait(self.seconds)
        except subprocess.TimeoutExpired:
            return f"{folder.name} goes on; resume waits for it, show tells what it has found"
        said = (self.folder / "errors.txt").read_text().strip()
        state = {0: "done", 3: "a limit ended it", 8: "waits for answers: see letters"}.get(code, f"ended with exit code {code}")
        return f"{folder.name}: {state}\n{said}\n{self.call('show', folder)[1]}"

    def open_letters(self, folder):
        """{letter: file of what a search asks}."""
        found = {}
        for request in sorted(self.below(folder).rglob("*.request.json")):
            key = request.name.removesuffix(".request.json")
            if not any(request.with_name(f"{key}.reply.{kind}").exists() for kind in ("txt", "json")):
                found[key] = request
        return found

    def letters(self, folder: str) -> dict:
        """The open letters of a search, as {letter: messages}; each asks for a kernel in a fenced block."""
        return {key: json.loads(path.read_text()).get("messages") for key, path in self.open_letters(folder).items()}

    def answer(self, folder: str, letter: str, text: str) -> str:
        """Answers a letter; the search reads it at resume."""
        request = self.open_letters(folder).get(letter)
        if request is None:
            raise Refused(f"'{letter}' is no open letter of {folder}")
        request.with_name(f"{letter}.reply.txt").write_text(text)
        return f"answered; {len(self.open_letters(folder))} letters are open"

    def show(self, folder: str, candidate: str = "") -> str:
        """The champion of a search and its verified speedups; candidate (e.g. champion): one kernel with its source."""
        return self.call("show", self.below(folder), *(["-c", candidate, "-s"] if candidate else []))[1]

    def compare(self, folder: str) -> str:
        """What the runs of a sweep show, with intervals and adjusted p-values."""
        return self.call("compare", self.below(folder))[1]


def main(arguments):
    parser = argparse.ArgumentParser(prog="python3 -m kernelevolve mcp", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", help="below it lies all that an agent writes")
    parser.add_argument("--program", default="kernelevolve", help="the command line program")
    parser.add_argument("--evaluations", type=int, default=100, help="kernels that may be judged in all; default 100")
    parser.add_argument("--dollars", type=float, default=0, help="what a search may pay for a language model; default 0: the agent answers its letters")
    parser.add_argument("--seconds", type=float, default=45, help="how long a call waits for a search; default 45")
    given = parser.parse_args(arguments)
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError:
        print("the server needs the Python package mcp: pip install 'mcp>=2'")
        return 3

    def telling(tool):
        """The tool; what it refuses reaches the agent in words."""
        @functools.wraps(tool)
        def told(*words, **named):
            try:
                return tool(*words, **named)
            except Refused as refused:
                raise ToolError(str(refused)) from refused
        return told

    server = MCPServer("kernelevolve", instructions=INSTRUCTIONS)
    for tool in Program(given.program, given.folder, given.evaluations, given.dollars, given.seconds).tools():
        server.add_tool(telling(tool))
    server.run()
    return 0
