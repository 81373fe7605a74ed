"""Finds the kernels that a whole model needs, and inserts them: `needs MODEL` and `deploy PACKAGE
NEEDS`."""

import argparse
import importlib
import pathlib
import sys

LEAST_VERSION = (2, 5)  # the first whose torch.export keeps composite operations, such as layer_norm
IMPORT = pathlib.Path(__file__).resolve().parent.parent / "import"


def options_of(arguments):
    parser = argparse.ArgumentParser(description="Finds what kernels a model needs, and puts them into it.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    needs = verbs.add_parser("needs")
    needs.add_argument("model", type=pathlib.Path, help="file with class Model, get_inputs() and get_init_inputs()")
    needs.add_argument("--out", type=pathlib.Path, required=True, help="folder that is written")
    needs.add_argument("--top", type=int, default=10, help="needs of which tasks are made")
    needs.add_argument("--program", required=True, help="kernelevolve, which admits the tasks")
    deploy = verbs.add_parser("deploy")
    deploy.add_argument("package", type=pathlib.Path, help="package of operators that `deploy --torch` wrote")
    deploy.add_argument("needs", type=pathlib.Path, help="folder that `needs` wrote")
    for one in (needs, deploy):
        one.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
        one.add_argument("--threads", type=int, default=1, help="of PyTorch on the processor")
        one.add_argument("--references", type=pathlib.Path, required=True, help="folder of kernelevolve_reference.py")
        one.add_argument("--json", action="store_true")
    return parser.parse_args(arguments)


def main():
    options = options_of(sys.argv[1:])
    sys.path += [str(IMPORT), str(options.references)]
    try:
        import torch
    except ImportError as error:
        print(f"{options.verb}: {error}", file=sys.stderr)
        return 2
    if tuple(int(part) for part in torch.__version__.split(".")[:2]) < LEAST_VERSION:
        print(f"{options.verb}: a whole model needs PyTorch {LEAST_VERSION[0]}.{LEAST_VERSION[1]} or later; this is "
              f"PyTorch {torch.__version__}", file=sys.stderr)
        return 2
    from traced_model import Unfit
    try:
        if options.device == "cuda" and not torch.cuda.is_available():
            raise Unfit("--device: 'cuda' is not there: PyTorch finds no CUDA device; expected cpu")
        importlib.import_module({"needs": "find_needs", "deploy": "deploy_model"}[options.verb]).run(options)
    except Unfit as error:
        print(f"{options.verb}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
