"""Repositories made in tests, without the settings of whoever runs them."""

import os
import shutil
import subprocess

from support import engram


def git(folder, *arguments, **more):
    if not shutil.which("git"):
        raise engram.Skip("there is no git")
    env = {"HOME": "/nowhere", "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"], "GIT_AUTHOR_NAME": "t",
           "GIT_AUTHOR_EMAIL": "t@t", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@t", **more}
    return subprocess.run(["git", *arguments], cwd=folder, env=env, check=True, capture_output=True, text=True).stdout.strip()


def commit(folder, message, at=None):
    """`at`: when, RFC 3339; now where it isn't said."""
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", message, **({"GIT_COMMITTER_DATE": at, "GIT_AUTHOR_DATE": at} if at else {}))
