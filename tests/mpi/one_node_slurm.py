"""A Slurm of one node for a test: munged, slurmctld and slurmd with a generated configuration, in a folder of their own.

Its processes are those of this user, and end with the test. Nothing outside the folder is read or written.
"""
import ctypes
import os
import pathlib
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "sinfo", "squeue", "scancel", "scontrol")
START_SECONDS = 60
STOP_SECONDS = 20
PR_SET_PDEATHSIG = 1
PROCESSORS = 8  # more than there are: processes of a test wait more than they work

# TASKS are not bound to processors, and nothing is accounted: for neither a container has the rights.
CONFIGURATION = """\
ClusterName=kr
SlurmctldHost={node}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
AuthType=auth/munge
AuthInfo=socket={folder}/run/munge.socket
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/run/slurmctld.pid
SlurmdPidFile={folder}/run/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
NodeName={node} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN
PartitionName=all Nodes={node} Default=YES MaxTime=INFINITE State=UP
"""
CGROUPS = "CgroupPlugin=cgroup/v1\nIgnoreSystemd=yes\n"


class Unavailable(Exception):
    """Why there is no Slurm here."""


def find_program(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def end_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class OneNodeSlurm:
    """`with OneNodeSlurm(folder) as slurm: slurm.run("srun", ...)`. Raises Unavailable."""

    def __init__(self, folder, environment):
        missing = [name for name in PROGRAMS if find_program(name) is None]
        if missing:
            raise Unavailable(f"no {missing[0]}; tools/setup slurm installs it")
        self.folder = pathlib.Path(folder)
        self.environment = dict(environment, SLURM_CONF=str(self.folder / "slurm.conf"))
        self.daemons = []

    def __enter__(self):
        try:
            self.configure()
            self.start_all()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def configure(self):
        self.folder.mkdir(mode=0o755)
        for name, mode in (("key", 0o700), ("run", 0o755), ("spool", 0o755), ("state", 0o700)):
            (self.folder / name).mkdir()
            (self.folder / name).chmod(mode)
        key = self.folder / "key/munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o600)
        controller_port, node_port = free_ports(2)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            folder=self.folder, node=socket.gethostname().split(".")[0], user=pwd.getpwuid(os.geteuid()).pw_name,
            controller_port=controller_port, node_port=node_port, processors=PROCESSORS))
        (self.folder / "cgroup.conf").write_text(CGROUPS)

    def start(self, *words):
        with open(self.folder / f"{words[0]}.log", "wb") as log:
            self.daemons.append((words[0], subprocess.Popen(
                [find_program(words[0]), *words[1:]], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.environment, cwd=self.folder, preexec_fn=end_with_parent)))

    def wait_until(self, holds, what):
        end = time.monotonic() + START_SECONDS
        while not holds():
            for name, process in self.daemons:
                if process.poll() is not None:
                    raise Unavailable(f"{name} ended: {self.last_line(name)}")
            if time.monotonic() > end:
                raise Unavailable(f"{what} in {START_SECONDS} s: {self.last_line(self.daemons[-1][0])}")
            time.sleep(0.1)

    def last_line(self, name):
        lines = (self.folder / f"{name}.log").read_text(errors="replace").splitlines()
        errors = [line for line in lines if "error" in line.lower() or "fatal" in line.lower()]
        return (errors or lines or ["it says nothing"])[-1]

    def start_all(self):
        run = self.folder / "run"
        self.start("munged", "--foreground", f"--key-file={self.folder}/key/munge.key", f"--socket={run}/munge.socket",
                   f"--pid-file={run}/munged.pid", f"--log-file={run}/munged.log", f"--seed-file={self.folder}/key/seed",
                   "--num-threads=2")
        self.wait_until((run / "munge.socket").exists, "munged makes no socket")
        self.start("slurmctld", "-D")
        self.start("slurmd", "-D")
        self.wait_until(lambda: self.run("sinfo", "--noheader", "--format=%T").stdout.strip() == b"idle",
                        "the node is not idle")
        if b"pmix" not in self.run("srun", "--mpi=list").stdout + self.run("srun", "--mpi=list").stderr:
            raise Unavailable("this Slurm has no --mpi=pmix")

    def run(self, *words, timeout=120):
        return subprocess.run([*map(str, words)], capture_output=True, check=False, timeout=timeout,
                              env=self.environment)

    def begin(self, *words):
        """A program that is not waited for."""
        return subprocess.Popen([*map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment)

    def processes(self):
        """Of the step that runs: process ids by the number that Slurm gives them."""
        rows = [line.split() for line in self.run("scontrol", "listpids").stdout.decode().splitlines()[1:]]
        return {int(row[4]): int(row[0]) for row in rows if len(row) == 5 and row[4].isdigit() and row[2].isdigit()}

    def is_idle(self):
        return not self.run("squeue", "--noheader").stdout.strip()

    def stop(self):
        if len(self.daemons) == 3:
            self.run("scancel", "--user", pwd.getpwuid(os.geteuid()).pw_name)
            end = time.monotonic() + STOP_SECONDS
            while not self.is_idle() and time.monotonic() < end:
                time.sleep(0.1)
        for _, process in reversed(self.daemons):
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.daemons = []
