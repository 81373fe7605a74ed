-- Schema of a run file (*.kev): one run, complete and portable. SQLite 3.37 or later (STRICT).
-- Its version is PRAGMA user_version, `schema_version` in sqlite/open.cpp; run.format_version is the history's.
--
-- Conventions
--   hash columns       SHA-256, 32-byte blobs; NULL where a hash is absent (all zero in memory)
--   columns typed ANY  float64. A positive quiet NaN is NULL; any other NaN and -0.0 are the 8 bytes
--                      of the number, little-endian, because SQLite cannot hold them; all else REAL
--   *_ns blobs         int64 nanoseconds, little-endian, one after the other
--   position           0, 1, 2, ... where the order of a list matters
-- Facts (attempt, exchange and what hangs on them) arrive in any order and are durable at once.
-- History (step and what hangs on it) is in logical order, one transaction a step.

CREATE TABLE run (                       -- one row: what the run is, fixed before its first step
  id              INTEGER PRIMARY KEY CHECK (id = 1),
  format_version  INTEGER NOT NULL,
  config_text     TEXT NOT NULL,         -- canonical `path = value` lines, defaults included
  config_id       BLOB,                  -- SHA-256 of config_text
  task            TEXT NOT NULL,
  task_hash       BLOB,
  seed            INTEGER NOT NULL
) STRICT;

CREATE TABLE session (                   -- one process that worked on the run
  id              INTEGER PRIMARY KEY,
  host            TEXT NOT NULL,
  hardware        TEXT NOT NULL,
  microcode       TEXT NOT NULL,
  kernel          TEXT NOT NULL,         -- of the operating system
  binary_hash     TEXT NOT NULL,
  sandbox_level   TEXT NOT NULL,
  started_ms      INTEGER NOT NULL,      -- since 1970, UTC
  stopped_ms      INTEGER,               -- NULL: still running, or killed
  exit_code       INTEGER
) STRICT;

CREATE TABLE evaluator (                 -- what measured the run; its jobs' keys are made from it
  id              INTEGER PRIMARY KEY CHECK (id = 1),
  kind            TEXT NOT NULL,
  device_class    TEXT NOT NULL,
  toolchain       TEXT NOT NULL,
  protocol_version INTEGER NOT NULL,
  noisy           INTEGER NOT NULL
) STRICT;

CREATE TABLE evaluator_item (
  list            TEXT NOT NULL CHECK (list IN ('capability', 'workload', 'baseline')),
  position        INTEGER NOT NULL,
  value           TEXT NOT NULL,
  PRIMARY KEY (list, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE source (                    -- kernel sources, each text once
  id              INTEGER PRIMARY KEY,
  hash            BLOB NOT NULL UNIQUE,  -- SHA-256 of text
  text            TEXT NOT NULL
) STRICT;

CREATE TABLE note (                      -- feedback and messages, each text once
  id              INTEGER PRIMARY KEY,
  hash            BLOB NOT NULL UNIQUE,
  text            TEXT NOT NULL
) STRICT;

CREATE TABLE genome (                    -- one point of a genome; first identity of a kernel
  id              INTEGER PRIMARY KEY,
  hash            BLOB NOT NULL UNIQUE,
  language        TEXT NOT NULL,
  source_id       INTEGER NOT NULL REFERENCES source (id),
  launch_plan     TEXT NOT NULL
) STRICT;

CREATE TABLE knob (
  genome_id       INTEGER NOT NULL REFERENCES genome (id),
  name            TEXT NOT NULL,
  value           TEXT NOT NULL,
  PRIMARY KEY (genome_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE flag (                      -- one row a flag gene, in declared order; '' = left out
  genome_id       INTEGER NOT NULL REFERENCES genome (id),
  position        INTEGER NOT NULL,
  value           TEXT NOT NULL,
  PRIMARY KEY (genome_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE build (                     -- second identity of a kernel: what the compiler made of it
  id              INTEGER PRIMARY KEY,
  hash            BLOB NOT NULL UNIQUE
) STRICT;

CREATE TABLE attempt (                   -- one fact: the lasting result of one job
  id              INTEGER PRIMARY KEY,
  key             BLOB NOT NULL UNIQUE,
  session_id      INTEGER REFERENCES session (id),
  purpose         TEXT NOT NULL CHECK (purpose IN ('build', 'screen', 'duel', 'verify', 'sanitize')),
  genome_id       INTEGER NOT NULL REFERENCES genome (id),
  opponent        TEXT,                  -- anchor, naive, a baseline; '' when it is a kernel
  opponent_genome_id INTEGER REFERENCES genome (id),
  look            INTEGER NOT NULL,
  verdict         TEXT NOT NULL,
  reason          TEXT NOT NULL,
  message         TEXT NOT NULL,
  build_id        INTEGER REFERENCES build (id),
  feedback_id     INTEGER REFERENCES note (id),
  compile_ns      INTEGER NOT NULL,      -- what the job cost, see also the view cost
  lane_ns         INTEGER NOT NULL,
  judge_cpu_ns    INTEGER NOT NULL,
  arrived_ms      INTEGER NOT NULL,      -- since 1970, UTC; in no hash
  fact_hash       BLOB NOT NULL          -- SHA-256 of the fact's canonical bytes
) STRICT;

CREATE TABLE measure (                   -- descriptor values of a fact
  attempt_id      INTEGER NOT NULL REFERENCES attempt (id),
  axis            TEXT NOT NULL,
  value           ANY,
  PRIMARY KEY (attempt_id, axis)
) STRICT, WITHOUT ROWID;

CREATE TABLE diagnostic (
  attempt_id      INTEGER NOT NULL REFERENCES attempt (id),
  position        INTEGER NOT NULL,
  file            TEXT NOT NULL,
  line            INTEGER NOT NULL,
  col             INTEGER NOT NULL,
  severity        TEXT NOT NULL,
  message         TEXT NOT NULL,
  PRIMARY KEY (attempt_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE policy_flag (
  attempt_id      INTEGER NOT NULL REFERENCES attempt (id),
  position        INTEGER NOT NULL,
  flag            TEXT NOT NULL,
  PRIMARY KEY (attempt_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE measurement (               -- an attempt that compared two kernels
  attempt_id      INTEGER PRIMARY KEY REFERENCES attempt (id),
  decision        TEXT NOT NULL CHECK (decision IN ('none', 'better', 'worse', 'undecided')),
  speedup         ANY,
  ci_low          ANY,
  ci_high         ANY,
  resolvable      ANY
) STRICT;

CREATE TABLE workload_timing (
  id              INTEGER PRIMARY KEY,
  attempt_id      INTEGER NOT NULL REFERENCES measurement (attempt_id),
  position        INTEGER NOT NULL,
  workload        TEXT NOT NULL,
  role            TEXT NOT NULL,
  speedup         ANY,
  ci_low          ANY,
  ci_high         ANY,
  candidate_ns    ANY,
  opponent_ns     ANY,
  floor_ns        ANY,
  UNIQUE (attempt_id, position)
) STRICT;

CREATE TABLE cluster (                   -- one fresh pair of processes
  timing_id       INTEGER NOT NULL REFERENCES workload_timing (id),
  number          INTEGER NOT NULL,
  padding         INTEGER NOT NULL,      -- bytes both arms were re-linked with
  arms            TEXT NOT NULL,         -- 'A' = challenger, 'B' = opponent, one letter a sample
  samples_ns      BLOB NOT NULL,
  cpu_ns          BLOB NOT NULL,
  UNIQUE (timing_id, number)
) STRICT;

CREATE TABLE exchange (                  -- one call of a language model
  id              INTEGER PRIMARY KEY,
  key             BLOB NOT NULL UNIQUE,
  session_id      INTEGER REFERENCES session (id),
  model           TEXT NOT NULL,
  max_output_tokens INTEGER NOT NULL,
  status          TEXT NOT NULL,
  reply_id        INTEGER NOT NULL REFERENCES note (id),
  model_returned  TEXT NOT NULL,
  input_tokens    INTEGER NOT NULL,
  output_tokens   INTEGER NOT NULL,
  cached_tokens   INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  dollars         ANY,
  fact_hash       BLOB NOT NULL
) STRICT;

CREATE TABLE message (
  exchange_id     INTEGER NOT NULL REFERENCES exchange (id),
  position        INTEGER NOT NULL,
  role            TEXT NOT NULL,
  text_id         INTEGER NOT NULL REFERENCES note (id),
  PRIMARY KEY (exchange_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE exchange_setting (
  exchange_id     INTEGER NOT NULL REFERENCES exchange (id),
  name            TEXT NOT NULL,
  value           TEXT NOT NULL,
  PRIMARY KEY (exchange_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE step (                      -- one committed ask of one island
  idx             INTEGER PRIMARY KEY,   -- 0, 1, 2, ... in commit order
  step            INTEGER NOT NULL,
  island          INTEGER NOT NULL,
  session_id      INTEGER REFERENCES session (id),
  committed_ms    INTEGER NOT NULL,      -- since 1970, UTC; in no hash
  history_hash    BLOB                   -- the chain after this step
) STRICT;

CREATE TABLE numeric_batch (             -- a step of a numeric search, whose solutions have no rows
  step_idx        INTEGER PRIMARY KEY REFERENCES step (idx),
  digest          BLOB,                  -- SHA-256 of objectives, measures, cells and statuses
  solutions       INTEGER NOT NULL,
  filled          INTEGER NOT NULL,      -- cells of the result archive after the batch
  qd_score        ANY,
  best            ANY,
  clipped         INTEGER NOT NULL       -- measures outside their axes so far
) STRICT;

CREATE TABLE numeric_elite (             -- result archive of a numeric search, written at its end
  cell            INTEGER PRIMARY KEY,
  objective       ANY,
  measures        BLOB NOT NULL,         -- float64, little-endian, as below
  solution        BLOB NOT NULL
) STRICT;

CREATE TABLE candidate (
  id              INTEGER PRIMARY KEY,
  step_idx        INTEGER NOT NULL REFERENCES step (idx),
  step            INTEGER NOT NULL,      -- logical id: step, island, slot
  island          INTEGER NOT NULL,
  slot            INTEGER NOT NULL,
  operator        TEXT NOT NULL,
  outcome         TEXT NOT NULL CHECK (outcome IN ('kernel', 'no_child', 'duplicate')),
  no_child_reason TEXT NOT NULL,
  kernel_name     TEXT NOT NULL,         -- file name of the source it stems from
  genome_id       INTEGER REFERENCES genome (id),
  duplicate_of    INTEGER REFERENCES candidate (id),
  duplicate_kind  TEXT NOT NULL,         -- genome, build or ''
  content_hash    BLOB NOT NULL,         -- SHA-256 of all that is stored of the candidate
  UNIQUE (step, island, slot)
) STRICT;
CREATE INDEX candidate_by_step ON candidate (step_idx);

CREATE TABLE parent (
  candidate_id    INTEGER NOT NULL REFERENCES candidate (id),
  position        INTEGER NOT NULL,
  parent_id       INTEGER NOT NULL REFERENCES candidate (id),
  role            TEXT NOT NULL CHECK (role IN ('parent', 'inspiration', 'failed')),
  PRIMARY KEY (candidate_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX parent_by_parent ON parent (parent_id);

CREATE TABLE evidence (                  -- the facts that a candidate rests on, its build first
  candidate_id    INTEGER NOT NULL REFERENCES candidate (id),
  position        INTEGER NOT NULL,
  key             BLOB NOT NULL,
  PRIMARY KEY (candidate_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE evaluation (                -- what the search knew of a candidate when it was committed
  candidate_id    INTEGER PRIMARY KEY REFERENCES candidate (id),
  verdict         TEXT NOT NULL,
  reason          TEXT NOT NULL,
  message         TEXT NOT NULL,
  build_id        INTEGER REFERENCES build (id),
  objective       ANY,                   -- as seen during the search; maximised
  ci_low          ANY,
  ci_high         ANY,
  feedback_id     INTEGER REFERENCES note (id),
  measured        INTEGER NOT NULL CHECK (measured IN (0, 1))
) STRICT;

CREATE TABLE evaluation_measure (
  candidate_id    INTEGER NOT NULL REFERENCES candidate (id),
  axis            TEXT NOT NULL,
  value           ANY,
  PRIMARY KEY (candidate_id, axis)
) STRICT, WITHOUT ROWID;

CREATE TABLE evaluation_diagnostic (
  candidate_id    INTEGER NOT NULL REFERENCES candidate (id),
  position        INTEGER NOT NULL,
  file            TEXT NOT NULL,
  line            INTEGER NOT NULL,
  col             INTEGER NOT NULL,
  severity        TEXT NOT NULL,
  message         TEXT NOT NULL,
  PRIMARY KEY (candidate_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE axis (                      -- what a cell of an archive means; cells = product of bins
  archive         TEXT NOT NULL,         -- island or passive
  position        INTEGER NOT NULL,      -- the last axis runs fastest in the cell number
  measure         TEXT NOT NULL,
  unit            TEXT NOT NULL,
  PRIMARY KEY (archive, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE axis_bin (
  archive         TEXT NOT NULL,
  position        INTEGER NOT NULL,
  bin             INTEGER NOT NULL,
  label           TEXT NOT NULL,
  PRIMARY KEY (archive, position, bin),
  FOREIGN KEY (archive, position) REFERENCES axis (archive, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE archive_event (             -- an elite change or a refusal, as it happened
  step_idx        INTEGER NOT NULL REFERENCES step (idx),
  position        INTEGER NOT NULL,
  archive         TEXT NOT NULL,         -- island (the step's own) or passive (common)
  challenger_id   INTEGER NOT NULL REFERENCES candidate (id),
  cell            INTEGER NOT NULL,
  incumbent_id    INTEGER REFERENCES candidate (id),
  status          TEXT NOT NULL CHECK (status IN ('rejected', 'new_cell', 'improved', 'duel_needed')),
  decision        TEXT NOT NULL CHECK (decision IN ('none', 'better', 'worse', 'undecided')),
  duel_key        BLOB,                  -- attempt.key of the duel
  bound_low       ANY,
  bound_high      ANY,
  clipped         INTEGER NOT NULL CHECK (clipped IN (0, 1)),
  PRIMARY KEY (step_idx, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE migration (
  step_idx        INTEGER NOT NULL REFERENCES step (idx),
  position        INTEGER NOT NULL,
  from_island     INTEGER NOT NULL,
  to_island       INTEGER NOT NULL,
  migrant_id      INTEGER NOT NULL REFERENCES candidate (id),
  chosen_at       INTEGER NOT NULL,
  PRIMARY KEY (step_idx, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE stop (                      -- at most one row: why the run ended; gone when it goes on
  id              INTEGER PRIMARY KEY CHECK (id = 1),
  reason          TEXT NOT NULL,
  proposals       INTEGER NOT NULL,
  evaluations     INTEGER NOT NULL,
  champion_id     INTEGER REFERENCES candidate (id),
  history_hash    BLOB,
  numeric_elites  BLOB                   -- SHA-256 of numeric_elite; NULL: no numeric search
) STRICT;

CREATE TABLE verified (                  -- the only figures that reports call speedups
  candidate_id    INTEGER NOT NULL REFERENCES candidate (id),
  baseline        TEXT NOT NULL,
  role            TEXT NOT NULL,         -- bench, validation, holdout
  speedup         ANY,
  ci_low          ANY,
  ci_high         ANY,
  fact_key        BLOB,
  note            TEXT NOT NULL,
  content_hash    BLOB NOT NULL,
  PRIMARY KEY (candidate_id, baseline, role)
) STRICT, WITHOUT ROWID;

CREATE TABLE lesson (                    -- passages for prompts
  id              INTEGER PRIMARY KEY,
  name            TEXT NOT NULL UNIQUE,
  title           TEXT NOT NULL,
  text            TEXT NOT NULL,
  step            INTEGER NOT NULL,      -- logical step at which it became known
  words           INTEGER NOT NULL
) STRICT;
CREATE VIRTUAL TABLE lesson_words USING fts5 (title, text, tokenize = 'ascii');
CREATE VIRTUAL TABLE lesson_terms USING fts5vocab (lesson_words, 'instance');

-- Candidates with verdict ok, best first, as seen during the search; verified figures are in `verified`.
CREATE VIEW v_best AS
SELECT c.step || '.' || c.island || '.' || c.slot AS id, c.operator, e.objective, e.ci_low, e.ci_high,
       c.genome_id, e.build_id, c.id AS candidate_id
FROM candidate c JOIN evaluation e ON e.candidate_id = c.id
WHERE e.verdict = 'ok' AND typeof(e.objective) = 'real'
ORDER BY e.objective DESC, c.id;

-- The elites at the end: one row for each filled cell. The passive archive has island -1.
CREATE VIEW v_archive AS
SELECT archive, island, cell, id, objective, candidate_id FROM (
  SELECT a.archive, CASE a.archive WHEN 'passive' THEN -1 ELSE s.island END AS island, a.cell,
         c.step || '.' || c.island || '.' || c.slot AS id, e.objective, c.id AS candidate_id,
         row_number() OVER (
           PARTITION BY a.archive, CASE a.archive WHEN 'passive' THEN -1 ELSE s.island END, a.cell
           ORDER BY a.step_idx DESC, a.position DESC) AS age
  FROM archive_event a JOIN step s ON s.idx = a.step_idx
  JOIN candidate c ON c.id = a.challenger_id JOIN evaluation e ON e.candidate_id = c.id
  WHERE a.status IN ('new_cell', 'improved'))
WHERE age = 1
ORDER BY archive, island, cell;

-- Who descends from whom, one row for each parent of each candidate.
CREATE VIEW v_lineage AS
SELECT c.step || '.' || c.island || '.' || c.slot AS child,
       p.step || '.' || p.island || '.' || p.slot AS parent, r.role, c.operator,
       ec.verdict, ec.objective AS child_objective, ep.objective AS parent_objective
FROM parent r JOIN candidate c ON c.id = r.candidate_id JOIN candidate p ON p.id = r.parent_id
JOIN evaluation ec ON ec.candidate_id = c.id JOIN evaluation ep ON ep.candidate_id = p.id
ORDER BY c.id, r.position;

-- What each job cost. Columns of attempt, because a row of its own would dirty one more page a fact.
CREATE VIEW cost AS
SELECT id AS attempt_id, compile_ns, lane_ns, judge_cpu_ns FROM attempt;

-- What the run spent, by session and purpose.
CREATE VIEW v_cost AS
SELECT session_id, purpose, count(*) AS jobs, sum(compile_ns) / 1e9 AS compile_s,
       sum(lane_ns) / 1e9 AS lane_s, sum(judge_cpu_ns) / 1e9 AS judge_cpu_s, 0.0 AS dollars
FROM attempt GROUP BY session_id, purpose
UNION ALL
SELECT session_id, 'exchange', count(*), 0, 0, 0, sum(dollars) FROM exchange GROUP BY session_id;

-- Why candidates failed, most frequent first.
CREATE VIEW v_failures AS
SELECT CASE c.outcome WHEN 'kernel' THEN e.verdict ELSE c.outcome END AS verdict,
       CASE c.outcome WHEN 'kernel' THEN e.reason WHEN 'no_child' THEN c.no_child_reason
            ELSE c.duplicate_kind END AS reason,
       count(*) AS candidates, min(c.step || '.' || c.island || '.' || c.slot) AS example
FROM candidate c JOIN evaluation e ON e.candidate_id = c.id
WHERE c.outcome <> 'kernel' OR e.verdict <> 'ok'
GROUP BY 1, 2
ORDER BY candidates DESC, 1, 2;
