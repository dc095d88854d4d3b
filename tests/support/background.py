"""What tests know of the background process of a world: who it is, and waiting for it."""
import fcntl
import os
import time

from support.engram import expect

END_S = 1.0     # after the last server's end
SLACK_S = 1.5   # a build with sanitizers looks for leaks at its end
START_S = 20.0  # half a second, but for a machine that is busy
DONE_S = 120.0


def read_proc(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""


def stat_of(pid):
    """State, parent, group, session; a process that is gone has none."""
    fields = read_proc(pid, "stat").decode(errors="replace").rsplit(")", 1)[-1].split()
    return fields[:4]


def is_alive(pid):
    """A zombie waits for init, which isn't ours."""
    return stat_of(pid)[:1] not in ([], ["Z"])


def backgrounds(world, project=None):
    """Those of the project, or of all of this world's."""
    folder = world.folder(project).encode() if project else os.path.join(world.data, "engram").encode()
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        words = read_proc(pid, "cmdline").split(b"\0")
        if len(words) > 2 and words[1] == b"background" and words[2].startswith(folder) and is_alive(pid):
            found.append(int(pid))
    return sorted(found)


def parsers_of(pid):
    """The parse workers that a process has started."""
    found = []
    for task in os.listdir(f"/proc/{pid}/task") if is_alive(pid) else []:
        for child in read_proc(pid, f"task/{task}/children").split():
            if read_proc(int(child), "cmdline").split(b"\0")[1:2] == [b"parse"] and is_alive(int(child)):
                found.append(int(child))
    return sorted(found)


def wait_for(seconds, what, truth):
    until = time.monotonic() + seconds
    while not (value := truth()):
        expect(time.monotonic() < until, f"not within {seconds} s: {what}")
        time.sleep(.01)
    return value


def the_background(world, project=None):
    """The one that is settled: its starter, a server's child for some milliseconds, is gone."""
    def settled():
        found = [(pid, stat_of(pid)[1:2]) for pid in backgrounds(world, project)]
        servers = [[str(server.process.pid)] for server in world.servers]
        if len(found) == 1 and found[0][1] and found[0][1] not in servers and holds_lock(world, project):
            return found[0][0]
    return wait_for(START_S, "one background", settled)


def holds_lock(world, project=None):
    with open(os.path.join(world.folder(project), "background.lock"), "ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def expect_ended(world, began, project=None):
    wait_for(END_S + SLACK_S, "the background's end", lambda: not backgrounds(world, project))
    return time.monotonic() - began
