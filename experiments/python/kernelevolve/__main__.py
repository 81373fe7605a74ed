"""`python3 -m kernelevolve VERB ...`: the verbs of the program that read, compare and draw several runs, and `mcp`,
which serves tools to agents."""
import sys

MISSING = 3  # exit code: a package is not installed


def main(arguments):
    if arguments[:1] == ["mcp"]:
        from . import agent_tools
        return agent_tools.main(arguments[1:])
    try:
        from . import commands
    except ImportError as error:
        print(f"the Python package {error.name}")  # read by the program
        return MISSING
    return commands.run(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
