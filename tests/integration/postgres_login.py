#!/usr/bin/env python3
# Times nothing: may run beside others.
"""A PostgreSQL server that takes TLS and SCRAM alone: a search with the least roles comes in with passwords from the
environment and from a file and ends as on one machine; other logins are refused at once with a line that says why; each
role may do what roles.sql states and no more; no password is in any file of the run, on any output or in a list of
processes."""

import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, sys.path[0] + "/../support")
import program  # noqa: E402
from program import SOURCE, fresh_folder, free_port, wait_until  # noqa: E402
from shared_search import FUNCTION, Server, alone, verified  # noqa: E402

FOLDER = fresh_folder("postgres_login")
PASSWORDS = {"alice": "Sesame-open-81", "node": "Nodes-secret-42", "eve": "Reads-only-17"}
ROLES = {"alice": "ke_coordinator", "node": "ke_worker", "eve": "ke_reader"}
WORDS = ["budget.evaluations=40"]
HBA = "local all kernelevolve trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n"
WORKER_WRITES = {"fact INSERT", "worker INSERT"}
WORKER_COLUMNS = {"device evaluator", "job attempt", "job fact", "job lease", "job lease_until", "job state", "job worker",
                  "worker reason", "worker seen", "worker state"}


def sql(url, *statements, environment=None, good=True):
    words = [part for statement in statements for part in ("-c", statement)]
    done = subprocess.run(["psql", url, "-Atq", "-v", "ON_ERROR_STOP=1", *words], capture_output=True, text=True,
                          env=environment)
    assert (done.returncode == 0) == good, (statements, done.stdout, done.stderr)
    return done.stdout.split("\n")[:-1] if good else done.stderr


def certificate(data):
    """A certificate of this server's own, which clients are told to trust."""
    for name in ("server", "other"):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost", "-keyout", str(FOLDER / f"{name}.key"), "-out",
                        str(FOLDER / f"{name}.crt")], check=True, capture_output=True)
    for name in ("server.key", "server.crt"):
        shutil.copy(FOLDER / name, data / name)
        os.chmod(data / name, 0o600)
        owner = data.stat()
        os.chown(data / name, owner.st_uid, owner.st_gid)


def secure(server):
    data = server.folder / "pg/data"
    certificate(data)
    (data / "pg_hba.conf").write_text(HBA)
    for name in ("schema.sql", "roles.sql"):
        subprocess.run(["psql", server.url, "-q", "-v", "ON_ERROR_STOP=1", "-f", str(SOURCE / "archive/postgres" / name)],
                       check=True)
    for user, role in ROLES.items():
        sql(server.url, f"CREATE ROLE {user} LOGIN PASSWORD '{PASSWORDS[user]}' IN ROLE {role}")
    sql(server.url, "ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()")
    wait_until(lambda: sql(server.url, "SHOW ssl") == ["on"], "TLS")


class Logins:
    def __init__(self, port):
        self.port = port
        self.output = b""

    def url(self, user, mode="verify-full", root="server.crt", host="localhost", password=""):
        return (f"postgresql://{user}{password and ':' + password}@{host}:{self.port}/kernelevolve?hostaddr=127.0.0.1"
                f"&sslmode={mode}&sslrootcert={FOLDER / root}")

    def start(self, words, url, **variables):
        environment = os.environ | {"KERNELEVOLVE_QUEUE_URL": url, "PGPASSFILE": str(FOLDER / "none")} | variables
        process = program.start(*words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        shown = pathlib.Path(f"/proc/{process.pid}/cmdline").read_bytes()
        assert not any(password.encode() in shown for password in PASSWORDS.values()), shown
        return process

    def end(self, process, code):
        output, _ = process.communicate(timeout=60)
        self.output += output
        assert process.returncode == code, output
        return output.decode()

    def run(self, name, folder, url, **variables):
        return self.start(["run", *FUNCTION, *WORDS, f"name={name}", "queue.url=env", "queue.lease=1s", "-o", folder], url,
                          **variables)


def search_comes_in(logins):
    passfile = FOLDER / "pass"
    passfile.write_text(f"*:*:*:node:{PASSWORDS['node']}\n")
    passfile.chmod(0o600)
    expected = alone(FOLDER / "alone", WORDS)
    node = logins.start(["worker"], logins.url("node"), **{"PGPASSFILE": str(passfile)})
    ways = {"environment": (logins.url("alice"), {"PGPASSWORD": PASSWORDS["alice"]}),
            "address": (logins.url("alice", password=PASSWORDS["alice"]), {})}
    for name, (url, variables) in ways.items():
        logins.end(logins.run(name, FOLDER / name, url, **variables), 0)
        assert verified(FOLDER / name) == expected
    node.terminate()
    logins.end(node, 143)
    print("passwords from a file, the environment and the address: history as on one machine")


def others_are_refused(logins):
    good = {"PGPASSWORD": PASSWORDS["node"]}
    loose = FOLDER / "loose"
    loose.write_text(f"*:*:*:node:{PASSWORDS['node']}\n")
    loose.chmod(0o644)
    cases = {
        "no encryption": (logins.url("node", mode="disable"), good),
        "password authentication failed": (logins.url("node"), {"PGPASSWORD": "wrong"}),
        "certificate verify failed": (logins.url("node", root="other.crt"), good),
        "does not match host name": (logins.url("node", host="db.example.org"), good),
        "no password supplied": (logins.url("node"), {"PGPASSFILE": str(loose)}),
    }
    for why, (url, variables) in cases.items():
        for process in (logins.start(["worker"], url, **variables),
                        logins.run("refused", FOLDER / "refused" / why, url, **variables)):
            lines = logins.end(process, 7).lower().strip().splitlines()
            errors = [line for line in lines if not line.startswith("warning:")]  # of the budget and of the open file
            assert len(errors) == 1 and "cannot be reached" in errors[0] and why in errors[0], (why, lines)
    print(f"{len(cases)} other logins: refused with a line each")


def roles_are_the_least(server, logins):
    tables = ("FROM pg_class c, unnest(ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) p WHERE "
              "c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v') AND has_table_privilege('%s', c.oid, p)")
    for user, writes in (("eve", set()), ("node", WORKER_WRITES)):
        may = set(sql(server.url, "SELECT c.relname || ' ' || p " + tables % user))
        assert may == writes, (user, may)
    columns = ("SELECT c.relname || ' ' || a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND "
               "a.attnum > 0 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND "
               "has_column_privilege('%s', c.oid, a.attnum, 'UPDATE')")
    assert set(sql(server.url, columns % "node")) == WORKER_COLUMNS
    assert set(sql(server.url, columns % "eve")) == set()
    tries = {"eve": ["DELETE FROM step", "UPDATE run SET seed = 2", "CREATE TABLE mine (n int)"],
             "node": ["DELETE FROM step", "DELETE FROM fact", "UPDATE fact SET fact = ''", "SELECT * FROM exchange"]}
    for user, statements in tries.items():
        environment = dict(os.environ, PGPASSWORD=PASSWORDS[user])
        for statement in statements:
            said = sql(logins.url(user), statement, environment=environment, good=False)
            assert "permission denied" in said, said
    seen = sql(logins.url("eve"), "SELECT facts FROM v_queue", environment=dict(os.environ, PGPASSWORD=PASSWORDS["eve"]))
    assert seen and all(int(facts) > 0 for facts in seen), seen
    print("reader and worker: the rights that roles.sql states, no others")


def no_secret_is_kept(server, logins):
    tables = subprocess.run(["pg_dump", server.url], check=True, capture_output=True).stdout
    assert b"environment.rastrigin.s1" in tables
    files = [path for path in FOLDER.rglob("*") if path.is_file() and path.name not in ("pass", "loose")]
    assert any(path.suffix == ".kev" for path in files), files
    for password in PASSWORDS.values():
        holders = [str(path) for path in files if password.encode() in path.read_bytes()]
        assert not holders, holders
        assert password.encode() not in logins.output + tables
    print(f"{len(files)} files, {len(logins.output)} bytes of output, the tables: no password")


def main():
    port = free_port()
    with Server("127.0.0.1", port) as server:
        secure(server)
        logins = Logins(port)
        others_are_refused(logins)
        search_comes_in(logins)
        roles_are_the_least(server, logins)
        no_secret_is_kept(server, logins)


if __name__ == "__main__":
    main()
