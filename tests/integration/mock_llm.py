#!/usr/bin/env python3
"""tests/golden/llm-mock.yaml against the mock server, with 1 and 4 compilers at a time: softmax evolves on this machine, and the run replays to
its history hash with no socket opened and no compiler started."""
import os
import sys

sys.path.insert(0, sys.path[0] + "/../support")
from llm_server import mock_llm  # noqa: E402
from program import SOURCE, fresh_folder, must, rows, skip, verify_offline  # noqa: E402

KEY = os.environ["MOCK_LLM_KEY"] = "none-needed"


def evolve(address, compilers):
    must("run", SOURCE / "tests/golden/llm-mock.yaml", "-q", "-o", f"compilers{compilers}", f"llm.base_url={address}",
         f"device.compile_threads={compilers}", "budget.proposals=12", "verify.cells=0")
    return f"compilers{compilers}"


def main():
    fresh_folder("mock_llm")
    with mock_llm(SOURCE / "configs/replies/softmax", KEY) as addresses:
        runs = [evolve(addresses["openai_chat"], compilers) for compilers in (1, 4)]
    for run in runs:
        ((exchanges,),) = rows(run, "SELECT count(*) FROM exchange WHERE status = 'ok'")
        ((ok,),) = rows(run, "SELECT count(*) FROM candidate c JOIN evaluation e ON e.candidate_id = c.id "
                             "WHERE c.operator LIKE 'llm_%' AND e.verdict = 'ok'")
        assert exchanges >= 4 and ok >= 1, (exchanges, ok)
        history, traced = verify_offline(run)
        print(f"{run}: {exchanges} exchanges, {ok} kernels of the model pass; replays to {history}")
    if not traced:
        skip("strace is missing: only the hashes were checked")


if __name__ == "__main__":
    main()
