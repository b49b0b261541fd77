"""What build farms are made of, on loopback: a redis server, two servers of distcc, and ccache before a compiler."""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from commands import finish  # noqa: E402


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def served(command, port, folder):
    """A server that listens on the port before the body begins, and is gone after it."""
    with open(folder / f"server-{port}.log", "w") as log:
        server = subprocess.Popen([*map(str, command)], stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=folder)
    try:
        for _ in range(200):
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if server.poll() is not None:
                raise RuntimeError(f"{command[0]}: {(folder / f'server-{port}.log').read_text()}")
            time.sleep(0.05)
        yield
    finally:
        server.terminate()
        server.wait()


@contextlib.contextmanager
def redis(folder):
    """Gives its address, as ccache takes it."""
    port = free_port()
    with served(["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", folder], port, folder):
        yield f"redis://127.0.0.1:{port}"


@contextlib.contextmanager
def distcc(folder, byoc, slots=2):
    """Two servers: each has byoc-cc under a prefix of its own and, where root starts them, is a user of its own. Gives
    the variables of a client, and their logs."""
    folder.mkdir()
    folder.parent.chmod(0o711)  # a temporary folder, which other users have to come through
    users = [["--user", name] if os.geteuid() == 0 else [] for name in ("nobody", "daemon")]
    hosts, logs = [], []
    with contextlib.ExitStack() as stack:
        for number, user in enumerate(users):
            prefix = folder / f"prefix{number}"
            (prefix / "bin").mkdir(parents=True)
            for part in (folder, prefix, prefix / "bin"):
                part.chmod(0o755)
            # The same program, in another place.
            shutil.copy(byoc, prefix / "bin/byoc")
            (prefix / "bin/byoc-cc").symlink_to("byoc")
            (prefix / "commands").write_text(f"{prefix}/bin/byoc-cc\n")
            temporary = prefix / "tmp"
            temporary.mkdir()
            temporary.chmod(0o1777)
            log = temporary / "log"
            log.touch()
            log.chmod(0o666)
            port = free_port()
            command = ["env", f"DISTCC_CMDLIST={prefix}/commands", f"TMPDIR={temporary}", "distccd", "--no-detach",
                       "--daemon", "--port", port, "--listen", "127.0.0.1", "--allow", "127.0.0.1", "--jobs", slots,
                       "--log-file", log, "--log-level", "info", *user]
            stack.enter_context(served(command, port, folder))
            hosts.append(f"127.0.0.1:{port}/{slots}")
            logs.append(log)
        (folder / "state").mkdir()
        yield {"DISTCC_HOSTS": " ".join(hosts), "DISTCC_DIR": str(folder / "state"), "DISTCC_FALLBACK": "0",
               "DISTCC_VERBOSE": "0"}, logs


def compiled_at(log):
    """How many files a server of distcc compiled."""
    return sum("COMPILE_OK" in line for line in log.read_text().splitlines())


def ccache_counts(variables):
    """{"hits": of either kind, "misses", "remote": hits that came over the network}"""
    lines = finish("ccache", "--print-stats", env=variables).stdout.splitlines()
    counts = {name: int(value) for name, _, value in (line.partition("\t") for line in lines) if value.isdigit()}
    remote = sum(counts.get(name, 0) for name in ("remote_storage_hit", "secondary_storage_hit"))
    return {"hits": counts["direct_cache_hit"] + counts["preprocessed_cache_hit"], "misses": counts["cache_miss"],
            "remote": remote}


def ccache_variables(folder, address=None):
    out = {**os.environ, "CCACHE_DIR": str(pathlib.Path(folder))}
    for name in ("CCACHE_COMPILERCHECK", "CCACHE_BASEDIR", "CCACHE_NOHASHDIR", "CCACHE_SLOPPINESS", "CCACHE_DISABLE"):
        out.pop(name, None)
    if address:
        # Its name since 4.7, and before.
        out["CCACHE_REMOTE_STORAGE"] = out["CCACHE_SECONDARY_STORAGE"] = address
    return out
