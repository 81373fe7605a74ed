#!/usr/bin/env python3
"""A Slurm cluster of four nodes on this machine, for trying out and for tests: real daemons, each node in a network
namespace and with a host name of its own. All of it lives in namespaces that end with the command: nothing is left.

    tests/support/local_slurm.py [COMMAND ...]     a shell if no command is given; sinfo, sbatch, squeue work in it

Needs the packages slurmctld, slurmd, slurm-client, munge and iproute2, and root. Exit code 77, with the reason, where the
machine lacks one of them.
"""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from program import wait_until

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "scontrol", "sinfo", "munged", "ip", "nsenter", "unshare")
INSIDE = "LOCAL_SLURM_INSIDE"
SKIP = 77
HEAD = "10.77.0.1"
CPUS = 2
SECONDS_TO_SETTLE = 3
CONF = """ClusterName=local
SlurmctldHost=head({head})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
SlurmctldTimeout=30
SlurmdTimeout=60
KillWait=5
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=2,bf_interval=2
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
MaxArraySize=1001
MaxJobCount=10000
{nodes}
PartitionName=batch Nodes=ALL Default=YES MaxTime=1:00:00 PriorityTier=1 State=UP
PartitionName=urgent Nodes=ALL MaxTime=1:00:00 PriorityTier=9 PreemptMode=OFF State=UP
PartitionName=closed Nodes=ALL MaxTime=1:00:00 PriorityTier=1 State=DOWN
"""


def skip(reason):
    print(f"skipped: no Slurm on this machine: {reason}")
    sys.exit(SKIP)


def enter():
    """Starts this program again as the only one in its namespaces, once. The shell between the two reaps orphans."""
    if INSIDE in os.environ:
        return
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    lacking = [program for program in PROGRAMS if not shutil.which(program)]
    if lacking:
        skip("it lacks " + ", ".join(lacking))
    if os.geteuid() != 0:
        skip("it needs root")
    unshare = ["unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    tried = subprocess.run([*unshare, "ip", "link", "set", "lo", "up"], capture_output=True, text=True)
    if tried.returncode != 0:
        skip(f"namespaces are not allowed: {tried.stderr.strip()}")
    os.environ[INSIDE] = "1"
    program = [*unshare, "bash", "-c", '"$@"; exit $?', "bash", sys.executable, *sys.argv]
    os.execvp(program[0], program)


def call(*words, check=True):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    assert done.returncode == 0 or not check, (words, done.stdout, done.stderr)
    return done.stdout


class Node:
    """One namespace, kept by a process that sleeps, with its slurmd."""

    def __init__(self, number):
        self.name, self.address, self.link = f"node{number}", f"10.77.0.{10 + number}", f"to{number}"
        self.keeper = subprocess.Popen(["unshare", "--net", "--uts", "sleep", "infinity"])
        self.inside = ["nsenter", f"--target={self.keeper.pid}", "--net", "--uts", "--"]
        own = os.readlink("/proc/self/ns/net")
        wait_until(lambda: self.space() != own, "a namespace of a node", 30)
        call("ip", "link", "add", self.link, "type", "veth", "peer", "name", "eth0", "netns", self.keeper.pid)
        call("ip", "link", "set", self.link, "master", "hub", "up")
        call(*self.inside, "hostname", self.name)
        call(*self.inside, "ip", "link", "set", "lo", "up")
        call(*self.inside, "ip", "link", "set", "eth0", "up")
        call(*self.inside, "ip", "address", "add", f"{self.address}/24", "dev", "eth0")

    def space(self):
        return os.readlink(f"/proc/{self.keeper.pid}/ns/net")

    def line(self):
        return f"NodeName={self.name} NodeAddr={self.address} CPUs={CPUS} RealMemory=1000 State=UNKNOWN"

    def start(self):
        call("ip", "link", "set", self.link, "up")
        # Not `ip netns exec`, which mounts another /sys without the control groups that slurmd looks for.
        self.daemon = subprocess.Popen([*self.inside, "slurmd", "-D", "-N", self.name], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)

    def processes(self):
        """All but the keeper."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and os.readlink(entry / "ns/net") == self.space():
                    found.append(int(entry.name))
        return [pid for pid in found if pid != self.keeper.pid]

    def kill(self):
        """As a loss of power ends it: no step can say that its job was killed."""
        call("ip", "link", "set", self.link, "down")
        while self.processes():
            for pid in self.processes():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)
        self.daemon.wait()


class LocalSlurm:
    def __init__(self, nodes=4):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="local-slurm-"))
        self.held = {}  # when a requeued task was first seen to wait
        os.environ["SLURM_CONF"] = str(self.folder / "slurm.conf")
        call("hostname", "head")
        call("ip", "link", "set", "lo", "up")
        call("ip", "link", "add", "hub", "type", "bridge")
        call("ip", "address", "add", f"{HEAD}/24", "dev", "hub")
        call("ip", "link", "set", "hub", "up")
        self.nodes = [Node(number) for number in range(1, nodes + 1)]
        self._write_files()
        self._start_head()
        for node in self.nodes:
            node.start()
        self.wait_for_idle()

    def _write_files(self):
        (self.folder / "state").mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        lines = "\n".join(node.line() for node in self.nodes)
        (self.folder / "slurm.conf").write_text(CONF.format(head=HEAD, folder=self.folder, nodes=lines))

    def _start_head(self):
        at = self.folder
        os.chmod(at, 0o755)
        subprocess.run(["munged", "--force", f"--key-file={at}/munge.key", f"--socket={at}/munge.socket",
                        f"--pid-file={at}/munged.pid", f"--log-file={at}/munged.log", f"--seed-file={at}/munged.seed"],
                       check=True, stderr=subprocess.DEVNULL)
        self.controller = subprocess.Popen(["slurmctld", "-D"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: "UP" in call("scontrol", "ping", check=False), "slurmctld to answer", 30)

    def wait_for_idle(self):
        wait_until(lambda: call("sinfo", "-h", "-N", "-p", "batch", "-o", "%t").split() == ["idle"] * len(self.nodes),
                   "idle nodes: " + call("sinfo", "-N"), 30)

    def running(self):
        """Ids of jobs that run, each with its node, in the order in which they began."""
        self.hurry()
        lines = call("squeue", "-h", "-r", "-t", "running", "--sort=S", "-o", "%i %N").splitlines()
        return [line.split() for line in lines if len(line.split()) == 2]

    def hurry(self):
        """Slurm holds a requeued task for two minutes; here it may start once the node has settled."""
        now, held = time.monotonic(), {}
        for line in call("squeue", "-h", "-r", "-t", "pending", "-o", "%i %r").splitlines():
            task, reason = line.split(maxsplit=1)
            if reason == "BeginTime":
                held[task] = self.held.get(task, now)
                if now - held[task] >= SECONDS_TO_SETTLE:
                    call("scontrol", "update", f"jobid={task}", "starttime=now", check=False)
        self.held = held

    def is_drained(self):
        self.hurry()
        return not call("squeue", "-h")

    def fail(self, node):
        """Kills a node and has Slurm notice at once; its jobs go back to the queue."""
        node.kill()
        call("scontrol", "update", f"nodename={node.name}", "state=down", "reason=lost")

    def bring_back(self, node):
        node.start()
        call("scontrol", "update", f"nodename={node.name}", "state=resume")
        wait_until(lambda: call("sinfo", "-h", "-n", node.name, "-p", "batch", "-o", "%t").strip() in ("idle", "mix", "alloc"),
                   f"{node.name} to come back", 30)
        # Slurm still tells the node to end the jobs that it had; one that is hurried back there would be ended too.
        time.sleep(SECONDS_TO_SETTLE)

    def stop(self):
        for node in self.nodes:
            node.kill()
            node.keeper.kill()
        self.controller.terminate()
        self.controller.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    enter()
    slurm = LocalSlurm()
    code = subprocess.run(sys.argv[1:] or [os.environ.get("SHELL", "bash")]).returncode
    slurm.stop()
    sys.exit(code)


if __name__ == "__main__":
    main()
