"""Shared by tests of terminals: runs a program in its own terminal, and reads the output."""

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time

SECONDS = 300  # longer than anything takes, however loaded the machine is


class Terminal:
    """A program in a terminal with that many columns and rows. `environment` is added; None removes a variable."""

    def __init__(self, arguments, columns=80, rows=24, environment=None):
        self.master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        environment = {"TERM": "xterm-256color", "NO_COLOR": None, "COLORTERM": None, "LESS": None, "LV": None,
                       "PAGER": "cat", "CUDA_VISIBLE_DEVICES": "", **(environment or {})}
        variables = {k: v for k, v in {**os.environ, **environment}.items() if v is not None}

        def take_terminal():
            os.setsid()
            for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):  # as a shell has them, whoever runs this
                signal.signal(number, signal.SIG_DFL)
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(arguments, stdin=slave, stdout=slave, stderr=slave, env=variables,
                                        preexec_fn=take_terminal, close_fds=True)
        self.slave = slave
        self.bytes = b""

    def type(self, keys):
        os.write(self.master, keys)

    def read(self, seconds):
        """Reads the available output; waits for it no longer than that."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if ready:
            self.bytes += os.read(self.master, 1 << 16)
        return bool(ready)

    def wait(self, is_done):
        """Reads until that is so. False if it takes too long."""
        end = time.monotonic() + SECONDS
        while not is_done() and time.monotonic() < end:
            self.read(0.002)
        return is_done()

    def end(self):
        """Waits for the program. Returns its status, less than 0 if a signal ended it; None if it hangs."""
        ended = self.wait(lambda: self.process.poll() is not None)
        while self.read(0):
            pass
        if not ended:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.echoes = bool(termios.tcgetattr(self.slave)[3] & termios.ECHO)
        os.close(self.slave)
        os.close(self.master)
        return self.process.returncode if ended else None

    @property
    def text(self):
        return self.bytes.decode().replace("\r\n", "\n")


def show(arguments, columns=80, rows=0, environment=None):
    """Runs it to its end. Returns the status and the output to the terminal."""
    terminal = Terminal(arguments, columns, rows, environment)
    status = terminal.end()
    return status, terminal.text


def without_escapes(text):
    return re.sub(r"\033\[[0-9;]*m", "", text)


def read_line(line):
    """The characters of a line with their attributes: (character, background, is it dim)."""
    characters, background, dim = [], None, False
    for piece in re.split(r"(\033\[[0-9;]*m)", line):
        if not piece.startswith("\033["):
            characters += [(c, background, dim) for c in piece]
            continue
        codes = [int(code or 0) for code in piece[2:-1].split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                background, dim = None, False
            elif code == 2:
                dim = True
            else:
                assert code in (38, 48), f"{code} in {piece!r}"
                kind = codes.pop(0)
                count = {5: 1, 2: 3}[kind]
                color, codes = (kind, *codes[:count]), codes[count:]
                if code == 48:
                    background = color
    assert background is None and not dim, f"the line ends tinted: {line!r}"
    return characters
