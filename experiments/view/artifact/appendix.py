"""Writes the package's README.md (an ACM artifact appendix) and claims.yaml from the runs'
records."""
import importlib.util
import json
import pathlib
import subprocess

TEMPLATE = pathlib.Path(__file__).resolve().parent / "appendix.txt"
CLAIM = """  - id: {id}
    claim: "{claim}"
    command: "{command}"
    low: 0
    high: 0
    tiers: "{tiers}"
    minutes: {minutes:.1f}
"""
CITATION = """cff-version: 1.2.0
message: If you use this artifact, please cite it as below.
title: "Artifact {name}"
type: dataset
authors:
{authors}
references:
  - type: software
    title: KernelEvolve
    version: "{version}"
    license: Apache-2.0
    authors:
      - name: The KernelEvolve authors
"""
RUNS = """Recorded runs of kernel searches, {count}, made with {version}: run files with every recorded fact, their tasks and
configurations, and the tables and figures that follow from them. Searches are run again from recorded facts without a
GPU, a language model or a measurement; the last tier makes all runs again."""
STUDY = "`papers/{}` holds a study, with claims of its own that `reproduce.sh` judges too, each in the tiers that it names."
HARDWARE = """Tiers smoke and replay need nothing but a processor. The runs were made on

{machines}

and tier full needs {needs}."""
FULL_MEASURED = "arms on tasks whose best objectives, made again on like hardware, lie outside the recorded range"
FULL_EXACT = "runs made again that take another course"


def minutes(runs):
    return sum(run.seconds for run in runs) / 60


def claim(name, sentence, command, tiers, cost=0.1):
    return {"id": name, "claim": sentence, "command": f"./claim.py {command}", "low": "0", "high": "0", "tiers": tiers,
            "minutes": cost}


def claims_of(runs):
    """Claims about the recorded runs, by tier."""
    claims = [claim("files", "files that are not as they were packed", "changed", "smoke replay full")]
    for name, own in runs.items():
        measured = any(run.noisy or run.models for run in own)
        claims.append(claim(f"{name}_hashes", f"{name}: runs that are not what they say", f"hashes {name}", "smoke replay full"))
        if any(run.has_facts for run in own):
            claims.append(claim(f"{name}_replayed", f"{name}: runs that take another course from their recorded facts",
                                f"replayed {name}", "replay full"))
        claims += [claim(f"{name}_figures", f"{name}: tables and figures that come out otherwise", f"figures {name}", "replay full"),
            claim(f"{name}_again", f"{name}: {FULL_MEASURED if measured else FULL_EXACT}", f"again {name}", "full", minutes(own))]
    return claims


def hash_of(claims, judge):
    """Hash of the claims, computed like the judge of claims does."""
    spec = importlib.util.spec_from_file_location("check_claims", judge)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.digest(claims)


def lines_of(values):
    return "; ".join(sorted({str(value) for value in values if value})) or "none"


def table_of(runs):
    lines = ["| runs | arms | tasks | seeds | measured by | evaluations | minutes |", "|---|---|---|---|---|---|---|"]
    for name, own in runs.items():
        arms, tasks, seeds = ({getattr(run, key) for run in own} for key in ("arm", "task", "seed"))
        lines.append(f"| `runs/{name}`: {len(own)} | {lines_of(arms)} | {lines_of(tasks)} | {len(seeds)} "
                     f"| {lines_of(f'{run.kind} {run.device}'.strip() for run in own)} "
                     f"| {sum(run.evaluations for run in own)} | {minutes(own):.1f} |")
    return "\n".join(lines)


def claim_table(claims):
    rows = [f"| `{one['id']}` | {one['claim']} | {one['tiers']} | {one['low']} to {one['high']} |" for one in claims]
    return "\n".join(["| claim | number of | tiers | expected |", "|---|---|---|---|", *rows])


def needs_of(every):
    needs = []
    if any(run.kind in ("cuda", "hip") for run in every):
        needs.append("an NVIDIA GPU with its driver and CUDA's compiler")
    if any(run.noisy for run in every):
        needs.append("hardware like that above, otherwise idle, for figures like these")
    if any(run.models for run in every):
        needs.append(f"a language model ({lines_of(model for run in every for model in run.models)}) and a key for it")
    return "; ".join(needs) or "nothing but a processor"


def hardware_of(every):
    machines = sorted({machine for run in every for machine in run.machines})
    lines = "\n".join(f"- {hardware}, {system}, sandbox {level}" for hardware, system, level in machines)
    return HARDWARE.format(machines=lines, needs=needs_of(every))


def write_claims(package, claims):
    digest = hash_of(claims, package / "papers/check_claims.py")
    header = f"study: {package.name}\nkind: package\nhash: {digest}\nclaims:\n"
    (package / "claims.yaml").write_text(header + "".join(CLAIM.format(**one) for one in claims))


def write_citation(package, authors, version):
    """CITATION.cff of the Citation File Format; without authors it names those of the artifact, to be filled in."""
    names = [name.strip() for name in authors.split(";") if name.strip()] or [f"The authors of {package.name}"]
    lines = "\n".join(f"  - name: {json.dumps(name, ensure_ascii=False)}" for name in names)
    (package / "CITATION.cff").write_text(CITATION.format(name=package.name, authors=lines, version=version))


def write(package, study, runs, binary, authors):
    every = [run for own in runs.values() for run in own]
    claims = claims_of(runs)
    write_claims(package, claims)
    version = subprocess.run([binary, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    write_citation(package, authors, version.split()[-1])
    size = sum(path.stat().st_size for path in package.rglob("*") if path.is_file())
    about_runs = RUNS.format(count=len(every), version=version) if runs else ""
    about_study = STUDY.format(study) if study else ""
    fields = {
        "name": package.name, "version": version, "megabytes": f"{size / 1e6:.1f}",
        "abstract": "\n".join(filter(None, [about_runs, about_study])),
        "source": "in `source`" if (package / "source").exists() else "of the same version",
        "runs": table_of(runs) if runs else "None is recorded: the study makes its own in each tier.",
        "data": "`runs`, `configs`, and the tasks or landscapes that were searched" if runs else "shipped with the program",
        "hardware": hardware_of(every) if runs else "That of the study.",
        "toolchains": lines_of(run.toolchain for run in every),
        "models": lines_of(model for run in every for model in run.models),
        "experiments": ", ".join(f"`runs/{name}`" for name in runs) or f"`papers/{study}`",
        "minutes": f"{sum(map(minutes, runs.values())):.1f}", "claims": claim_table(claims)}
    (package / "README.md").write_text(TEMPLATE.read_text().format(**fields))
