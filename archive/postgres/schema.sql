-- Runs that several hosts share. The coordinator of a run writes all but `worker`; workers take rows of
-- `job` and add rows of `fact`. Encoded values (job, fact, exchange, evaluator) are the canonical bytes
-- of core/codec.hpp. Times of leases are milliseconds of the server's clock since 1970.

CREATE TABLE run (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name            text NOT NULL UNIQUE,  -- of the run file, without its ending
  state           text NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'open', 'ended')),
  format_version  bigint,                -- these six: RunHeader; NULL until the run begins
  config_text     text,
  config_id       bytea,
  task            text,
  task_hash       bytea,
  seed            bigint,
  lease_ms        bigint NOT NULL DEFAULT 30000,
  attempts        integer NOT NULL DEFAULT 5,  -- workers that a job may outlive before it is given up
  created         timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE device (
  run_id          bigint NOT NULL REFERENCES run ON DELETE CASCADE,
  position        integer NOT NULL,      -- in the order of the islands
  kind            text NOT NULL,         -- cpu, cuda, function, ...
  origin          text NOT NULL,         -- the task among its files: a folder or a file; '' = none
  evaluator       bytea,                 -- EvaluatorInfo of the first worker; NULL until there is one
  PRIMARY KEY (run_id, position)
);

CREATE TABLE task_file (                 -- what a worker needs to read the task of a device
  run_id          bigint NOT NULL REFERENCES run ON DELETE CASCADE,
  device          integer NOT NULL,
  path            text NOT NULL,
  content         bytea NOT NULL,
  PRIMARY KEY (run_id, device, path)
);

CREATE TABLE worker (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id          bigint NOT NULL REFERENCES run ON DELETE CASCADE,
  device          integer NOT NULL,
  host            text NOT NULL,
  host_class      text NOT NULL,         -- its processor and what it measures on
  pid             bigint NOT NULL,
  evaluator       bytea NOT NULL,
  state           text NOT NULL CHECK (state IN ('serving', 'refused', 'left')),
  reason          text NOT NULL,         -- why it was refused or left
  joined          timestamptz NOT NULL DEFAULT now(),
  seen            timestamptz NOT NULL DEFAULT now()
);

CREATE SEQUENCE lease_number;

CREATE TABLE job (                       -- open work; a row goes when the coordinator has its fact
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id          bigint NOT NULL REFERENCES run ON DELETE CASCADE,
  key             bytea NOT NULL,
  needs           text[] NOT NULL,
  job             bytea NOT NULL,
  state           text NOT NULL DEFAULT 'ready'
                  CHECK (state IN ('ready', 'leased', 'done', 'failed', 'abandoned')),
  worker          bigint,                -- these four: of the last claim
  attempt         integer NOT NULL DEFAULT 0,
  lease           bigint,
  lease_until     bigint,                -- of a closed job: when it was closed
  fact            bytea,                 -- of a job that failed with its task; all others: table fact
  UNIQUE (run_id, key)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02,
        toast_tuple_target = 128);     -- the encoded job stays where it is when a claim rewrites the row
CREATE INDEX job_ready ON job (run_id, id) WHERE state = 'ready';
CREATE INDEX job_leased ON job (run_id, lease_until) WHERE state = 'leased';
CREATE INDEX job_lease ON job (lease);
CREATE INDEX job_closed ON job (run_id, lease_until) WHERE state IN ('done', 'failed', 'abandoned');

CREATE TABLE fact (
  run_id          bigint NOT NULL REFERENCES run ON DELETE CASCADE,
  key             bytea NOT NULL,
  job             bytea NOT NULL,
  fact            bytea NOT NULL CHECK (octet_length(fact) <= 16777216),
  worker          bigint,                -- who measured it; NULL: the coordinator's host
  attempt         integer,
  arrived         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (run_id, key)
);

CREATE TABLE exchange (
  run_id          bigint NOT NULL REFERENCES run ON DELETE CASCADE,
  key             bytea NOT NULL,
  exchange        bytea NOT NULL,
  PRIMARY KEY (run_id, key)
);

CREATE TABLE step (
  run_id          bigint NOT NULL REFERENCES run ON DELETE CASCADE,
  idx             bigint NOT NULL,       -- 0, 1, 2, ... in commit order
  step            bigint NOT NULL,
  island          bigint NOT NULL,
  history_hash    bytea NOT NULL,
  committed       timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (run_id, idx)
);

CREATE TABLE candidate (                 -- a line each, to watch a run; the run file has all of them
  run_id          bigint NOT NULL REFERENCES run ON DELETE CASCADE,
  step            bigint NOT NULL,       -- logical id: step, island, slot
  island          bigint NOT NULL,
  slot            bigint NOT NULL,
  operator        text NOT NULL,
  verdict         text NOT NULL,
  objective       double precision NOT NULL,
  measured        boolean NOT NULL,
  genome_hash     bytea NOT NULL,
  PRIMARY KEY (run_id, step, island, slot)
);

CREATE TABLE stop (
  run_id          bigint PRIMARY KEY REFERENCES run ON DELETE CASCADE,
  stop            bytea NOT NULL         -- StopRecord
);

CREATE TABLE verified (
  run_id          bigint NOT NULL REFERENCES run ON DELETE CASCADE,
  step            bigint NOT NULL,
  island          bigint NOT NULL,
  slot            bigint NOT NULL,
  baseline        text NOT NULL,
  role            text NOT NULL,
  speedup         double precision NOT NULL,
  ci_low          double precision NOT NULL,
  ci_high         double precision NOT NULL,
  fact_key        bytea NOT NULL,
  note            text NOT NULL,
  PRIMARY KEY (run_id, step, island, slot, baseline, role)
);

-- What people ask first: who works, what waits.
CREATE VIEW v_queue AS
SELECT r.name, r.state,
       (SELECT count(*) FROM job j WHERE j.run_id = r.id AND j.state = 'ready') AS ready,
       (SELECT count(*) FROM job j WHERE j.run_id = r.id AND j.state = 'leased') AS leased,
       (SELECT count(*) FROM fact f WHERE f.run_id = r.id) AS facts,
       (SELECT count(*) FROM step s WHERE s.run_id = r.id) AS steps,
       (SELECT count(*) FROM worker w WHERE w.run_id = r.id AND w.state = 'serving'
        AND w.seen > now() - interval '2 minutes') AS workers
FROM run r ORDER BY r.id;
