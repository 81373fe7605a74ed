-- Tables that came after version 2 of the schema. A writer adds them to a file that lacks them; to a
-- reader, a missing one is empty.

CREATE TABLE IF NOT EXISTS workload_cost (  -- what one call needs, by the task's own account
  position        INTEGER PRIMARY KEY,   -- in the order of the task
  workload        TEXT NOT NULL UNIQUE,
  role            TEXT NOT NULL,         -- bench, validation, holdout
  bytes           INTEGER NOT NULL,      -- compulsory
  flops           INTEGER NOT NULL       -- of the usual algorithm; 0 = not said
) STRICT;

CREATE TABLE IF NOT EXISTS ceiling (     -- highest rates of the device, measured as a session begins
  session_id      INTEGER NOT NULL REFERENCES session (id),
  name            TEXT NOT NULL,         -- what was measured
  flops_per_s     REAL NOT NULL,
  PRIMARY KEY (session_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS task_label (  -- texts of the task itself, on which no verdict depends
  name            TEXT PRIMARY KEY,      -- source, licence, category, op_type, libraries, threads
  value           TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS kept_option (  -- limits outside the run's identity, as last given
  name            TEXT PRIMARY KEY,      -- llm.budget.dollars, llm.budget.tokens
  value           TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS exchange_detail (  -- only of exchanges of which there is something to say
  exchange_id     INTEGER PRIMARY KEY REFERENCES exchange (id),
  estimated       INTEGER NOT NULL,      -- 1: some tokens and dollars are estimates
  sent_tokens     INTEGER NOT NULL,      -- of the prompt, estimated, if the server read far fewer; else 0
  reasoning       TEXT NOT NULL          -- of a model that reasoned and gave no answer; else ''
) STRICT;

CREATE TABLE IF NOT EXISTS device (      -- of a run with several; `evaluator` holds the first one too
  position        INTEGER PRIMARY KEY,   -- in the order of the islands
  name            TEXT NOT NULL UNIQUE,
  task            TEXT NOT NULL,         -- folder or name of the task as its kernels solve it
  kind            TEXT NOT NULL,
  device_class    TEXT NOT NULL,
  toolchain       TEXT NOT NULL,
  protocol_version INTEGER NOT NULL,
  noisy           INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS device_item ( -- as evaluator_item
  device          INTEGER NOT NULL,      -- device.position
  list            TEXT NOT NULL CHECK (list IN ('capability', 'workload', 'baseline')),
  position        INTEGER NOT NULL,
  value           TEXT NOT NULL,
  PRIMARY KEY (device, list, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS device_sheet ( -- what prompts were told of the device that measures
  device          INTEGER PRIMARY KEY,   -- device.position; 0 where the run has one
  text            TEXT NOT NULL,         -- lines: what the first session queried and measured
  time_unit       TEXT NOT NULL,         -- '' = nanoseconds
  registers       INTEGER NOT NULL,      -- of a multiprocessor, as are the next two; 0 = unknown
  threads         INTEGER NOT NULL,
  shared_bytes    INTEGER NOT NULL,
  wave            INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS device_floor ( -- of the sheet: time that memory alone needs
  device          INTEGER NOT NULL,
  workload        TEXT NOT NULL,         -- its label
  ns              REAL NOT NULL,
  PRIMARY KEY (device, workload)
) STRICT;

CREATE TABLE IF NOT EXISTS device_island (
  island          INTEGER PRIMARY KEY,
  device          INTEGER NOT NULL       -- device.position
) STRICT;

CREATE TABLE IF NOT EXISTS device_champion (  -- with the run's stop, whose champion is the first one
  device          INTEGER PRIMARY KEY,   -- device.position
  candidate_id    INTEGER REFERENCES candidate (id)  -- NULL: no kernel was ok there
) STRICT;

-- Kernels that went from one device to another, one row each. entry: new_cell, improved (better than
-- the elite of its cell there), rejected, or '' where it may not contend or was not ok.
CREATE VIEW IF NOT EXISTS v_transfer AS
SELECT da.name AS from_device, db.name AS to_device,
       p.step || '.' || p.island || '.' || p.slot AS migrant,
       c.step || '.' || c.island || '.' || c.slot AS id, ec.verdict,
       ep.objective AS from_objective,
       CASE ec.verdict WHEN 'ok' THEN ec.objective END AS to_objective,
       coalesce((SELECT a.status FROM archive_event a WHERE a.step_idx = c.step_idx
                 AND a.challenger_id = c.id AND a.archive = 'island'), '') AS entry
FROM candidate c JOIN parent r ON r.candidate_id = c.id JOIN candidate p ON p.id = r.parent_id
JOIN device_island ia ON ia.island = p.island JOIN device da ON da.position = ia.device
JOIN device_island ib ON ib.island = c.island JOIN device db ON db.position = ib.device
JOIN evaluation ec ON ec.candidate_id = c.id JOIN evaluation ep ON ep.candidate_id = p.id
WHERE c.operator = 'migration'
ORDER BY c.id;
