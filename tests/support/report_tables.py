"""Every number of a report and the query on the run file that gives it.

Each table of the report's data (an object, a list of objects, or an object of columns) is named with its keys and with
a query whose rows have the same values in the same order of keys. A number that no table names, and that is not among
TESTED_ELSEWHERE, is an error: what the report learns to say must be held against the run.
"""
import math

ENTERED = "a.archive = 'passive' AND a.status IN ('new_cell', 'improved')"
# Elites of the common archive after step :step.
ELITES = f"""(SELECT cell, challenger_id, objective FROM (
  SELECT a.cell, a.challenger_id, e.objective, row_number() OVER (PARTITION BY a.cell ORDER BY a.step_idx DESC, a.position DESC) AS age
  FROM archive_event a JOIN evaluation e ON e.candidate_id = a.challenger_id WHERE {ENTERED} AND a.step_idx <= :step) WHERE age = 1)"""
CELLS = "(SELECT product(n) FROM (SELECT count(*) AS n FROM axis_bin WHERE archive = 'passive' GROUP BY position))"
# Of the archives that the search used. Kernels that lost at validation stand apart, in cells of their own.
OWN_CELLS = """(SELECT product(n) FROM (SELECT count(*) AS n FROM axis_bin JOIN axis USING (archive, position)
  WHERE archive = 'island' AND measure <> 'validation' GROUP BY position))"""
SPENT = """(SELECT total(a.compile_ns + a.lane_ns) / 1e9 FROM attempt a WHERE a.key IN (
  SELECT v.key FROM evidence v JOIN candidate c ON c.id = v.candidate_id WHERE c.step_idx <= :step))"""
ASKED = """(SELECT total({}) FROM exchange x WHERE x.key IN (
  SELECT v.key FROM evidence v JOIN candidate c ON c.id = v.candidate_id WHERE c.step_idx <= :step))"""
UP_TO = "FROM candidate c JOIN evaluation e ON e.candidate_id = c.id WHERE c.step_idx <= :step"
CANDIDATES = "FROM candidate c JOIN evaluation e ON e.candidate_id = c.id"
# Best ok parent (else inspiration) of each candidate, and the best ok kernel before it.
BEST = """best AS (SELECT p.candidate_id AS id, coalesce(max(iif(p.role = 'parent', e.objective, NULL)), max(e.objective)) AS objective
  FROM parent p JOIN evaluation e ON e.candidate_id = p.parent_id WHERE p.role <> 'failed' AND e.verdict = 'ok' GROUP BY p.candidate_id),
  record AS (SELECT c.id, max(CASE WHEN c.outcome = 'kernel' AND e.verdict = 'ok' THEN e.objective END)
    OVER (ORDER BY c.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM candidate c JOIN evaluation e
    ON e.candidate_id = c.id),
  elite AS (SELECT DISTINCT a.challenger_id AS id FROM archive_event a WHERE """ + ENTERED + ")"
CREDIT = """count(*), sum(c.outcome = 'no_child'), sum(c.outcome = 'duplicate'),
  sum(c.outcome = 'kernel' AND e.verdict = 'ok'), sum(c.outcome = 'kernel' AND best.id IS NOT NULL),
  sum(c.outcome = 'kernel' AND e.verdict = 'ok' AND coalesce(e.objective > best.objective, 0)), sum(elite.id IS NOT NULL),
  sum(c.outcome = 'kernel' AND e.verdict = 'ok' AND coalesce(e.objective > record.before, 1)),
  max(CASE WHEN c.outcome = 'kernel' AND e.verdict = 'ok' THEN e.objective END)"""
CREDITED = """LEFT JOIN best ON best.id = c.id JOIN record ON record.id = c.id LEFT JOIN elite ON elite.id = c.id"""
CREDIT_KEYS = ["name", "proposals", "no_child", "duplicates", "ok", "tried", "improved", "elites", "records", "best"]
MODEL = "CASE x.model_returned WHEN '' THEN x.model ELSE x.model_returned END"
VERIFIED = "FROM verified v JOIN attempt a ON a.key = v.fact_key JOIN workload_timing t ON t.attempt_id = a.id AND t.role = v.role"
EVENTS = """FROM archive_event a JOIN step s ON s.idx = a.step_idx
  WHERE a.status IN ('new_cell', 'improved') OR a.decision <> 'none' ORDER BY a.step_idx, a.position"""

# path, keys, query. With {"step": key}, the query is asked for each row with :step = the row's value of that key.
TABLES = [
    ("summary", ["seed", "steps", "proposals", "evaluations", "common_coverage", "common_qd_score", "elapsed_s", "evaluations_per_s"],
     f"""WITH spent AS (SELECT sum(stopped_ms - started_ms) / 1000.0 AS s FROM session),
     elites AS (SELECT count(*) AS n, total(objective) AS qd FROM v_archive WHERE island = -1),
     counted AS (SELECT count(*) AS n, sum(measured) AS m FROM evaluation)
     SELECT seed, (SELECT count(*) FROM step), c.n, c.m, 1.0 * e.n / {CELLS}, e.qd, s, c.m / s
     FROM run, spent, elites e, counted c"""),
    ("summary", ["coverage", "qd_score"], f"""WITH best AS (SELECT max(objective) AS o FROM v_archive
       WHERE island >= 0 AND cell < {OWN_CELLS} GROUP BY cell) SELECT 1.0 * count(*) / {OWN_CELLS}, total(o) FROM best"""),
    ("summary", ["lane_busy"], """SELECT max(sum(lane_ns), sum(compile_ns)) / 1e9 / (SELECT sum(last - started_ms) / 1000.0
     FROM session JOIN (SELECT session_id, max(committed_ms) AS last FROM step GROUP BY session_id) ON session_id = session.id)
     FROM attempt WHERE key IN (SELECT key FROM evidence UNION SELECT duel_key FROM archive_event)"""),
    ("summary", ["judged"], """SELECT count(*) FROM candidate c JOIN evaluation e ON e.candidate_id = c.id
     WHERE c.outcome = 'kernel' AND e.verdict NOT IN ('lost', 'unreliable', 'timeout')"""),
    ("summary.failures", None, "SELECT verdict, sum(candidates) FROM v_failures GROUP BY verdict"),
    ("summary.failure_reasons", ["verdict", "reason", "count"], "SELECT verdict, reason, candidates FROM v_failures WHERE verdict <> 'duplicate'"),
    ("summary.bill", ["answers", "input_tokens", "cached_tokens", "output_tokens", "dollars"],
     "SELECT count(*), sum(input_tokens), sum(cached_tokens), sum(output_tokens), total(dollars) FROM exchange"),
    ("summary.corrected_qd_score", ["cells", "seen", "score"], """SELECT count(*), sum(a.objective), sum(v.speedup) FROM v_archive a
     JOIN verified v ON v.candidate_id = a.candidate_id AND v.baseline = 'anchor' AND v.role = 'bench' AND v.speedup > 0
     WHERE a.island = -1"""),
    ("sessions", ["host", "hardware", "microcode", "kernel", "program", "sandbox", "started_ms", "stopped_ms", "exit_code"],
     "SELECT host, hardware, microcode, kernel, binary_hash, sandbox_level, started_ms, stopped_ms, exit_code FROM session"),
    ("evaluator", ["kind", "device_class", "toolchain", "protocol_version"],
     "SELECT kind, device_class, toolchain, protocol_version FROM evaluator"),
    ("verified", ["candidate", "baseline", "role", "speedup", "low", "high", "note"],
     "SELECT candidate_id - 1, baseline, role, iif(note = 'not resolved', NULL, speedup), ci_low, ci_high, note FROM verified"),
    ("verified.*.workloads", ["name", "speedup", "low", "high", "candidate_ns", "opponent_ns", "floor_ns"],
     f"SELECT t.workload, t.speedup, t.ci_low, t.ci_high, t.candidate_ns, t.opponent_ns, nullif(t.floor_ns, 0.0) {VERIFIED}"),
    ("progress", ["step_index", "proposals", "evaluations", "best", "filled", "qd_score", "seconds"],
     f"""SELECT :step, (SELECT count(*) {UP_TO}), (SELECT sum(e.measured) {UP_TO}),
     (SELECT max(e.objective) {UP_TO} AND e.verdict = 'ok'), (SELECT count(*) FROM {ELITES}), (SELECT total(objective) FROM {ELITES}),
     ((SELECT committed_ms FROM step WHERE idx = :step) - (SELECT committed_ms FROM step WHERE idx = 0)) / 1000.0""",
     {"step": "step_index"}),
    ("progress", ["step_index", "device_seconds"], f"SELECT :step, {SPENT}", {"step": "step_index"}),
    ("progress", ["step_index", "answers"], f"SELECT :step, {ASKED.format('1')}", {"step": "step_index"}),
    ("progress", ["step_index", "tokens"], f"SELECT :step, {ASKED.format('x.input_tokens + x.output_tokens')}", {"step": "step_index"}),
    ("progress", ["step_index", "dollars"], f"SELECT :step, {ASKED.format('x.dollars')}", {"step": "step_index"}),
    ("diversity", ["step_index", "entropy", "spread", "binaries"],
     f"""WITH elite AS (SELECT * FROM {ELITES}), columns AS (SELECT count(*) AS n FROM axis_bin WHERE archive = 'passive' AND position = 1),
     visit AS (SELECT count(DISTINCT a.challenger_id) AS n FROM archive_event a WHERE a.archive = 'passive' AND a.step_idx <= :step GROUP BY a.cell),
     visits AS (SELECT sum(n) AS n FROM visit)
     SELECT :step, (SELECT coalesce(-sum(1.0 * v.n / t.n * natural_log(1.0 * v.n / t.n)) / natural_log({CELLS}), 0) FROM visit v, visits t),
     (SELECT coalesce(avg(root(square(1.0 * (p.cell / n - q.cell / n) * n / {CELLS}) + square(1.0 * (p.cell % n - q.cell % n) / n))), 0)
      FROM elite p JOIN elite q ON p.cell < q.cell, columns),
     (SELECT count(DISTINCT coalesce(e.build_id, 0)) FROM elite JOIN evaluation e ON e.candidate_id = elite.challenger_id)""",
     {"step": "step_index"}),
    ("credit", CREDIT_KEYS, f"WITH {BEST} SELECT c.operator, {CREDIT} {CANDIDATES} {CREDITED} GROUP BY c.operator"),
    ("model_credit", CREDIT_KEYS, f"""WITH {BEST}, asked AS (SELECT min(v.candidate_id) AS id, {MODEL} AS model FROM exchange x
     JOIN evidence v ON v.key = x.key GROUP BY x.id) SELECT asked.model, {CREDIT} {CANDIDATES} {CREDITED}
     JOIN asked ON asked.id = c.id GROUP BY asked.model"""),
    ("models", ["name", "exchanges", "ok", "input_tokens", "output_tokens", "dollars"],
     f"""SELECT {MODEL}, count(*), sum(status = 'ok'), sum(input_tokens), sum(output_tokens), total(dollars) FROM exchange x GROUP BY 1"""),
    ("letters", ["candidate", "model", "status", "input_tokens", "output_tokens", "dollars"],
     f"SELECT v.candidate_id - 1, {MODEL}, x.status, x.input_tokens, x.output_tokens, x.dollars FROM exchange x JOIN evidence v ON v.key = x.key"),
    ("funnel.reasons", ["verdict", "reason", "count", "example"],
     f"""SELECT CASE c.outcome WHEN 'kernel' THEN e.verdict ELSE c.outcome END, CASE c.outcome WHEN 'kernel' THEN e.reason
     WHEN 'no_child' THEN c.no_child_reason ELSE c.duplicate_kind END, count(*), min(c.id) - 1 {CANDIDATES}
     WHERE c.outcome <> 'kernel' OR e.verdict <> 'ok' GROUP BY 1, 2"""),
    ("migrations", ["from", "to", "sent", "entered", "alive"],
     """SELECT m.from_island, m.to_island, count(*), count(a.step_idx), sum(a.step_idx IS NOT NULL AND EXISTS (
       SELECT 1 FROM v_archive v WHERE v.island = m.to_island AND v.candidate_id = m.migrant_id))
     FROM migration m LEFT JOIN archive_event a ON a.step_idx = m.step_idx AND a.challenger_id = m.migrant_id
     AND a.archive = 'island' AND a.status IN ('new_cell', 'improved') GROUP BY 1, 2"""),
    ("costs", ["purpose", "jobs", "compile_s", "lane_s", "judge_cpu_s"],
     """SELECT purpose, sum(jobs), sum(compile_s), sum(lane_s), sum(judge_cpu_s) FROM v_cost WHERE purpose <> 'exchange' GROUP BY 1"""),
    ("noise", ["purpose", "measurements"], """SELECT a.purpose, count(*) FROM attempt a JOIN measurement m ON m.attempt_id = a.id
     WHERE m.speedup > 0 AND m.resolvable IS NOT NULL GROUP BY 1"""),
    ("noise.*.values", None, "SELECT resolvable FROM measurement WHERE speedup > 0 AND resolvable IS NOT NULL"),
    ("candidates", ["step", "island", "slot", "step_index", "operator", "outcome", "verdict", "name", "objective", "measured", "genome",
                    "build", "duplicate_of", "cell"],
     f"""SELECT c.step, c.island, c.slot, c.step_idx, c.operator, c.outcome, e.verdict, c.kernel_name,
     CASE WHEN e.verdict = 'ok' AND c.outcome <> 'no_child' THEN e.objective END, e.measured,
     CASE WHEN c.genome_id IS NULL THEN -1 ELSE (SELECT count(*) FROM genome g WHERE g.id < c.genome_id) END, coalesce(e.build_id, 0),
     coalesce(c.duplicate_of, 0) - 1, coalesce((SELECT a.cell FROM archive_event a WHERE a.archive = 'passive' AND a.challenger_id = c.id
     ORDER BY a.step_idx DESC, a.position DESC LIMIT 1), -1) {CANDIDATES}"""),
    ("candidates", ["low", "high"], f"SELECT e.ci_low, e.ci_high {CANDIDATES}"),
    ("candidates.measures", ["m0", "m1"], """SELECT x.value, y.value FROM candidate c
     LEFT JOIN evaluation_measure x ON x.candidate_id = c.id AND x.axis = 'm0'
     LEFT JOIN evaluation_measure y ON y.candidate_id = c.id AND y.axis = 'm1'"""),
    ("parents", ["child", "parent", "role"], "SELECT candidate_id - 1, parent_id - 1, role FROM parent"),
    ("events", ["step_index", "island", "challenger", "cell", "incumbent", "status", "decision", "low", "high"],
     f"""SELECT a.step_idx, CASE a.archive WHEN 'passive' THEN -1 ELSE s.island END, a.challenger_id - 1, a.cell,
     coalesce(a.incumbent_id, 0) - 1, a.status, a.decision, a.bound_low, a.bound_high {EVENTS}"""),
    ("jobs", ["session", "purpose", "verdict", "arrived_ms", "compile_ms", "lane_ms"],
     "SELECT session_id - 1, purpose, verdict, arrived_ms, compile_ns / 1e6, lane_ns / 1e6 FROM attempt"),
    ("roofline.workloads", ["name", "role", "bytes", "flops", "bytes_per_s"],
     """SELECT w.workload, w.role, w.bytes, w.flops, 1e9 * w.bytes / (SELECT min(t.floor_ns) FROM workload_timing t
     WHERE t.workload = w.workload AND t.floor_ns > 0) FROM workload_cost w"""),
    ("roofline.ceilings", ["name", "flops_per_s"], "SELECT name, max(flops_per_s) FROM ceiling GROUP BY name"),
    ("roofline.seen", ["workload", "candidate", "ns"],
     f"""SELECT w.position, c.id - 1, t.candidate_ns {CANDIDATES} JOIN evidence v ON v.candidate_id = c.id JOIN attempt a ON a.key = v.key
     JOIN workload_timing t ON t.attempt_id = a.id JOIN workload_cost w ON w.workload = t.workload
     WHERE a.purpose = 'screen' AND c.outcome = 'kernel' AND e.verdict = 'ok' AND t.candidate_ns > 0"""),
    ("roofline.verified", ["workload", "kernel", "ns"],
     f"""SELECT w.position, 'champion', avg(t.candidate_ns) {VERIFIED} JOIN workload_cost w USING (workload) JOIN stop ON champion_id = candidate_id
     GROUP BY w.position UNION ALL SELECT w.position, v.baseline, t.opponent_ns {VERIFIED} JOIN workload_cost w USING (workload)
     JOIN stop ON champion_id = candidate_id"""),
]
TESTED_ELSEWHERE = {
    "summary.slower": "tests/integration/task_rules.py",
    "summary.champion": "the figures of `verified`; against naive, tests/experiments/view/report and the verb show",
    "config": "text", "axes": "labels", "kernels": "positions; tests/experiments/view/report", "remarks": "positions of diagnostics",
    "funnel.stages": "counts of funnel.reasons, below", "funnel.reasons.stage": "position in funnel.stages",
    "diversity.code": "tests/experiments/view/report/diversity_test.cpp", "noise.resolvable": "quartiles of noise.values, below",
    "credit.added_lines": "tests/experiments/view/report/credit_test.cpp", "credit.reintroduced": "the same", "model_credit.added_lines": "the same",
    "model_credit.reintroduced": "the same",
    "credit.rate": "Wilson intervals of improved and tried: tests/experiments/study/statistics",
    "model_credit.rate": "the same", "numeric_elites": "tests/integration/plot.py", "candidates.measures": "more than m0 and m1",
    "summary.limiting_resource": "text", "summary.bill.kernels": "tests/integration/provider_answers.py", "summary.bill.estimated": "the same",
    "summary.bill.unusable": "the same", "summary.bill.models": "figures of `models`, above", "evaluator.noisy": "a flag",
}


class Product:
    """Product aggregate, which SQLite lacks."""

    def __init__(self):
        self.value = 1

    def step(self, factor):
        self.value *= factor

    def finalize(self):
        return self.value


def prepare(database):
    database.create_aggregate("product", 1, Product)
    for name, function in (("natural_log", math.log), ("root", math.sqrt), ("square", lambda x: x * x)):
        database.create_function(name, 1, function)


def spelled(column):
    """Expands a column that stores positions in the list of its names."""
    return [column["names"][at] for at in column["rows"]] if isinstance(column, dict) else column


def nodes(data, path):
    """Values at a dotted path; `*` goes through a list."""
    found = [data]
    for part in path.split("."):
        found = [inner for node in found if node is not None for inner in (node if part == "*" else [node.get(part)])]
    return [node for node in found if node is not None]


def rows_of(node, keys):
    """Rows of one table, or None if the run has no data under one of the keys."""
    if keys is None:
        return list(node.items()) if isinstance(node, dict) else [(value,) for value in node]
    if isinstance(node, list):
        return [tuple(entry[key] for key in keys) for entry in node]
    columns = [spelled(node.get(key)) for key in keys]
    if any(column is None for column in columns):
        return None if all(key in node for key in keys) else []
    return list(zip(*columns)) if isinstance(columns[0], list) else [tuple(columns)]


def in_order(rows):
    return sorted(rows, key=lambda row: [(value is not None, isinstance(value, str), value if value is not None else 0) for value in row])


def same(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return a == b


def numbers_of(data, path=""):
    """Paths of all numbers, without positions in lists."""
    if isinstance(data, dict):
        if set(data) in ({"names", "rows"}, {"lists", "rows"}):
            return {path}
        return set().union(*(numbers_of(value, f"{path}.{key}".lstrip(".")) for key, value in data.items())) if data else set()
    if isinstance(data, list):
        return set().union(*(numbers_of(value, path) for value in data)) if data else set()
    return {path} if isinstance(data, (int, float)) and not isinstance(data, bool) else set()


def check(run, database):
    """Compares every table of a run's data; returns the number of compared numbers."""
    prepare(database)
    known, compared = set(TESTED_ELSEWHERE), 0
    for path, keys, query, *per_row in TABLES:
        plain = path.replace(".*", "")
        known |= {plain} if keys is None else {f"{plain}.{key}" for key in keys}
        tables = [rows for rows in (rows_of(node, keys) for node in nodes(run, path)) if rows]
        own = [row for rows in tables for row in rows]
        if per_row:
            at = keys.index(per_row[0]["step"])
            expected = [database.execute(query, {"step": row[at]}).fetchone() for row in own]
        else:
            expected = database.execute(query).fetchall() if own else []
        assert len(own) == len(expected), (path, keys, len(own), len(expected))
        for mine, theirs in zip(in_order(own), in_order(expected)):
            assert len(mine) == len(theirs) and all(map(same, mine, theirs)), (path, keys, mine, theirs)
        compared += sum(len(row) for row in own)
    unknown = [path for path in numbers_of(run) if not any(path == one or path.startswith(one + ".") for one in known)]
    assert not unknown, f"numbers that no query is held against: {unknown}"
    return compared
