#!/usr/bin/env python3
# Times nothing: may run beside others.
# Runs with the Python of build/dsls.
"""A scripted agent, through the official client of the Model Context Protocol: from a task that it is told of to a kernel
that a search verified, by its own evaluation and by answers to letters; and what the server's limits refuse."""
import asyncio
import json
import os
import re
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from program import BINARY, SOURCE, fresh_folder, must, skip, write  # noqa: E402

try:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
except ImportError:
    skip("the Python package mcp is not installed")

FOLDER = fresh_folder("agent")
EXPERIMENT = str(FOLDER / "llm.yaml")  # as shipped, but verified in less time
KERNEL = """#include <cstddef>
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
"""
ANSWER = f"One pass over memory.\n```cpp\n{KERNEL}```\n"


async def converse(session):
    tools = {tool.name for tool in (await session.list_tools()).tools}
    assert tools >= {"check", "evaluate", "run", "resume", "letters", "answer", "show", "compare"}, tools

    async def call(tool, **arguments):
        got = await session.call_tool(tool, arguments)
        return got.is_error, "\n".join(part.text for part in got.content)

    failed, said = await call("contract", task="conformance/axpb")
    assert not failed and "extern" in said, said
    failed, said = await call("evaluate", task="conformance/axpb", source=KERNEL)
    assert not failed and json.loads(said)["verdict"] in ("ok", "unreliable"), said
    failed, said = await call("evaluate", task="conformance/axpb", source=KERNEL.replace("+ 1", "+ 2"))
    assert not failed and json.loads(said)["verdict"] == "wrong_result", said

    for settings, why in ((["budget.evaluations=1000"], "cannot be set"), (["llm.kind=command"], "cannot be set"),
                          (["operators.command.program=[rm]"], "cannot be set"), (["device.sandbox=rlimits"], "cannot be set")):
        failed, said = await call("run", experiment=EXPERIMENT, folder="no", evaluations=1, settings=settings)
        assert failed and why in said, said
    for folder, evaluations, why in (("../out", 1, "does not lie below"), ("no", 1000, "are left")):
        failed, said = await call("run", experiment=EXPERIMENT, folder=folder, evaluations=evaluations)
        assert failed and why in said, said
    assert not (FOLDER / "no").exists() and not (FOLDER.parent / "out").exists()

    failed, said = await call("run", experiment=EXPERIMENT, folder="search", evaluations=2,
                              settings=["task=conformance/axpb", "kernels=naive"])
    for _ in range(20):
        if "goes on" not in said and "waits for answers" not in said:
            break
        open_letters = json.loads((await call("letters", folder="search"))[1])
        for letter in open_letters:
            failed, answered = await call("answer", folder="search", letter=letter, text=ANSWER)
            assert not failed, answered
        failed, said = await call("resume", folder="search")
    assert not failed and "done" in said and "axpb" in said, said
    failed, said = await call("show", folder="search", candidate="champion")
    assert not failed and 'extern "C" void kernel' in said, said


def the_skill_is_true():
    """Its experiment is one, and its verbs are there."""
    text = (SOURCE / "experiments/SKILL.md").read_text()
    assert len(text.split()) <= 600, "longer than an agent should read first"
    write({"search.yaml": re.search(r"```yaml\n(.*?)```", text, re.DOTALL)[1]})
    must("check", "search.yaml")
    for verb in set(re.findall(r"^kernelevolve (\w+)", text, re.MULTILINE)):
        must(verb, "--help")


async def main():
    shipped = (SOURCE / "configs/llm.yaml").read_text()
    quick = shipped.replace("\ndevice: cpu", "\ndevice: {kind: cpu, verify_time: 100ms, verify_clusters: 2}")
    write({EXPERIMENT: quick.replace("\nverify: {cells: 3}", "\nverify: {cells: 1, naive_flag_sets: 1}")})
    the_skill_is_true()
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "kernelevolve", "mcp", str(FOLDER), "--program", BINARY,
                                      "--evaluations", "6", "--seconds", "30"],
        env={**os.environ, "PYTHONPATH": str(SOURCE / "experiments/python")})
    async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        await converse(session)


asyncio.run(main())
