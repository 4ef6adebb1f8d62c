# SPDX-License-Identifier: Apache-2.0
"""A Slurm cluster of this machine alone: munged, slurmctld, and several slurmd that each are a node.

Everything lies in one folder and speaks on ports of its own, so that it disturbs no other cluster."""

import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "scontrol", "sinfo", "squeue"]

CONFIGURATION = """\
ClusterName=concord
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdSpoolDir={folder}/spool.%n
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SwitchType=switch/none
MpiDefault=none
SlurmdParameters=config_overrides
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=10
InactiveLimit=0
MinJobAge=3600
JobRequeue=1
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing_programs():
    """Those without which there is no cluster."""
    os.environ["PATH"] += os.pathsep + "/usr/sbin"
    return [program for program in PROGRAMS if shutil.which(program) is None]


def free_ports(count):
    """Ports of this machine that nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def descendants(pid):
    """A process and all that it began, as /proc has them."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # it has ended
        children.setdefault(parent, []).append(int(entry.name))
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found


class Cluster:
    """Use as a context manager; then run() asks Slurm's programs."""

    def __init__(self, folder, nodes):
        self.folder = pathlib.Path(folder).resolve()
        self.nodes = nodes
        self.daemons = {}
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in self.nodes:
            self.lose_node(name)
        for daemon in list(self.daemons.values()):
            self.kill([daemon.pid])
            daemon.wait()

    def begin(self):
        """Starts everything, and waits until all nodes are idle."""
        ports = free_ports(1 + len(self.nodes))
        nodes = "\n".join(
            f"NodeName={name} NodeHostname={socket.gethostname()} NodeAddr=127.0.0.1 Port={port} CPUs=1"
            for name, port in zip(self.nodes, ports[1:]))
        for part in "state", "munge", *(f"spool.{name}" for name in self.nodes):
            (self.folder / part).mkdir(mode=0o755)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname(), port=ports[0], folder=self.folder,
            user=pwd.getpwuid(os.getuid()).pw_name, nodes=nodes), encoding="utf-8")
        self.begin_munge()
        self.start("slurmctld", ["slurmctld", "-D", "-i"])
        for name in self.nodes:
            self.start_node(name)
        self.wait_for(lambda: set(self.node_states().values()) == {"idle"}, "all nodes to be idle")

    def begin_munge(self):
        """munged with a key of its own."""
        munge = self.folder / "munge"
        key = munge / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        self.start("munged", ["munged", "--foreground", "--force", f"--socket={munge}/socket",
                              f"--key-file={key}", f"--pid-file={munge}/pid",
                              f"--log-file={munge}/log", f"--seed-file={munge}/seed"])
        self.wait_for((munge / "socket").exists, "munged")

    def start(self, name, command):
        """A daemon in the foreground, with what it prints in a file."""
        with open(self.folder / f"{name}.out", "ab") as out:
            self.daemons[name] = subprocess.Popen(command, env=self.environment, stdout=out,
                                                  stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

    def start_node(self, name):
        """A slurmd."""
        self.start(name, ["slurmd", "-D", "-N", name])

    def lose_node(self, name):
        """As if its power failed: slurmd and all jobs there end at once."""
        daemon = self.daemons.pop(name, None)
        if daemon is None:
            return
        self.kill(descendants(daemon.pid) + self.steps_of(name))
        daemon.wait()

    def steps_of(self, name):
        """The processes of jobs there, which slurmd leaves to init: slurmstepd says its node."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                environment = (entry / "environ").read_bytes().split(b"\0")
                command = (entry / "comm").read_text().strip()
            except OSError:
                continue
            conf = b"SLURM_CONF=" + self.environment["SLURM_CONF"].encode()
            of_job = b"SLURMD_NODENAME=" + name.encode() in environment and conf in environment
            if of_job or (command == "slurmstepd" and self.is_step_of(entry, name)):
                found += descendants(int(entry.name))
        return found

    def is_step_of(self, entry, name):
        """True if it has the node's log open, or a file in its spool folder."""
        own = (str(self.folder / f"spool.{name}"), str(self.folder / f"slurmd.{name}.log"))
        try:
            return any(os.readlink(each).startswith(own) for each in (entry / "fd").iterdir())
        except OSError:
            return False

    @staticmethod
    def kill(pids):
        """All at once: none of them sees another's end, so that slurmstepd does not report that of its job."""
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in pids:
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    pass

    def run(self, *command):
        """What a program of Slurm prints."""
        done = subprocess.run([str(word) for word in command], env=self.environment, text=True,
                              capture_output=True, timeout=60, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
        return done.stdout

    def node_states(self):
        """The state of each node: "idle", "allocated", "down*" and so on."""
        try:
            lines = self.run("sinfo", "-N", "-h", "-o", "%N %T").splitlines()
        except RuntimeError:
            return {}  # slurmctld does not answer yet
        return dict(line.split() for line in lines)

    def tasks(self, job):
        """Of each task of an array that is not pending as a whole what scontrol says of it."""
        found = []
        for line in self.run("scontrol", "-o", "show", "job", job).splitlines():
            found.append(dict(word.split("=", 1) for word in line.split() if "=" in word))
        return found

    @staticmethod
    def wait_for(holds, what, seconds=120):
        """Until it holds."""
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                raise TimeoutError(f"waited {seconds} s for {what}")
            time.sleep(0.2)
