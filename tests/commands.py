"""Commands that tests run, without a terminal to ask anything of."""

import subprocess


def finish(*command, **options):
    """The command's end, whatever its exit code: standard output and error are text, apart."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "stdin": subprocess.DEVNULL} | options
    return subprocess.run([str(word) for word in command], check=False, **options)


def run(*command, code=0, **options):
    """What the command said, standard error included; it must end with this code."""
    done = finish(*command, **{"stderr": subprocess.STDOUT} | options)
    if done.returncode != code:
        raise AssertionError(f"ended with {done.returncode}, expected {code}: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def expect(condition, text):
    if not condition:
        raise AssertionError(f"not so: {text}")
