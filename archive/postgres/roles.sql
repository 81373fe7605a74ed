-- Roles with the least rights that each part of a search needs. Run once by the owner of the tables:
--   psql -d kernelevolve -f schema.sql -f roles.sql
-- then give logins to them, for example
--   CREATE ROLE alice LOGIN PASSWORD '...' IN ROLE ke_coordinator;

CREATE ROLE ke_coordinator NOLOGIN;
CREATE ROLE ke_worker NOLOGIN;
CREATE ROLE ke_reader NOLOGIN;

REVOKE ALL ON ALL TABLES IN SCHEMA public FROM PUBLIC;

-- `kernelevolve run`: all of its runs.
GRANT SELECT, INSERT, UPDATE, DELETE ON run, device, task_file, job, fact, exchange, step, candidate,
  stop, verified TO ke_coordinator;
GRANT SELECT ON worker, v_queue TO ke_coordinator;

-- `kernelevolve worker`: takes jobs, adds facts, changes nothing that is there; sees no exchange with a
-- language model.
GRANT SELECT ON run, device, task_file, job, worker TO ke_worker;
GRANT UPDATE (evaluator) ON device TO ke_worker;
GRANT UPDATE (state, worker, attempt, lease, lease_until, fact) ON job TO ke_worker;
GRANT SELECT (run_id, key), INSERT ON fact TO ke_worker;
GRANT INSERT ON worker TO ke_worker;
GRANT UPDATE (state, reason, seen) ON worker TO ke_worker;
GRANT USAGE ON SEQUENCE lease_number TO ke_worker;

-- People and their notebooks.
GRANT SELECT ON ALL TABLES IN SCHEMA public TO ke_reader;
