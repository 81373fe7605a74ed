"""The compile process of kernels in a Python DSL.

    serve.py probe         says, as JSON, what this Python installation needs and which DSLs it has
    serve.py compile DSL   in a folder with kernel.py and request.json: leaves reply.json, 0.code, 0.assembly, 1.code, ...

`compile` runs a kernel's source. So it runs in a sandbox, in a process of its own for each kernel, and nothing that it
leaves is believed unchecked.
"""
import importlib
import importlib.metadata
import json
import os
import sys
import sysconfig

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from dsl_source import Refusal  # noqa: E402

DSLS = ("triton", "cute", "flydsl")


def adapter_of(dsl):
    return importlib.import_module(dsl + "_adapter")


def finding(dsl):
    """Whether a DSL is installed in a version whose kernels can be compiled; it is not imported."""
    adapter = adapter_of(dsl)
    version = version_of(adapter.DISTRIBUTION)
    if not version:
        return {"name": dsl, "version": "", "usable": False,
                "detail": f"not installed: pip install {adapter.DISTRIBUTION}"}
    usable = any(version.startswith(known) for known in adapter.VERSIONS)
    detail = f"{adapter.DISTRIBUTION} {version}"
    if not usable:
        detail += "; versions whose kernels can be compiled: " + ", ".join(known + "*" for known in adapter.VERSIONS)
    return {"name": dsl, "version": version, "usable": usable, "detail": detail}


def with_its_links(path):
    """A file and each file that it leads to: a virtual environment's python3 leads to the system's, which is a link too."""
    yield path
    while os.path.islink(path):
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
        yield path


def needed_paths():
    """Files and folders of this installation, links and what they lead to."""
    paths = [path for path in sys.path if os.path.isabs(path)] + [*with_its_links(sys.executable)]
    paths += [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
    paths += [prefix for prefix in (sys.prefix, sys.base_prefix) if prefix not in ("/", "/usr")]
    names = {name for path in paths if os.path.exists(path) for name in (path, os.path.realpath(path))}
    return sorted(name for name in names if not any(name.startswith(other + "/") for other in names))


def version_of(package):
    """"" = not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def torch_compiles():
    """Whether torch.compile has what it needs on a processor: PyTorch 2, headers of Python and a compiler."""
    headers = os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
    return version_of("torch").split(".")[0] not in ("", "0", "1") and headers and os.path.exists("/usr/bin/g++")


def probe():
    versions = {package: version_of(package) for package in ("torch", "numpy")}
    json.dump({"program": sys.executable, "paths": needed_paths(), "dsls": [finding(dsl) for dsl in DSLS],
               "python": "{}.{}.{}".format(*sys.version_info), "versions": versions,
               "torch_compiles": torch_compiles()}, sys.stdout)


def save(name, content):
    with open(name, "wb") as file:
        file.write(content)


def compile_source(dsl):
    with open("request.json", encoding="utf-8") as file:
        request = json.load(file)
    try:
        found = finding(dsl)
        if not found["usable"]:
            raise Refusal("refused_construct", f"{dsl}: {found['detail']}")
        adapter = adapter_of(dsl)
        if not request["arch"].startswith(adapter.TARGETS):
            raise Refusal("refused_construct", f"{dsl} does not compile for {request['arch']}")
        modules, log = adapter.compile_kernels(request)
        for i, module in enumerate(modules):
            save(f"{i}.code", module.pop("code"))
            save(f"{i}.assembly", module.pop("assembly").encode())
        reply = {"modules": modules, "log": log}
    except Refusal as refusal:
        reply = {"error": {"reason": refusal.reason, "line": refusal.line, "message": str(refusal)}}
    save("reply.json", json.dumps(reply).encode())


if __name__ == "__main__":
    if sys.argv[1:] == ["probe"]:
        probe()
    elif len(sys.argv) == 3 and sys.argv[1] == "compile" and sys.argv[2] in DSLS:
        compile_source(sys.argv[2])
    else:
        sys.exit(__doc__)
