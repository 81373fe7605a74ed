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
