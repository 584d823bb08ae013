"""Runs a command on a terminal of its own, feeds it slowly, and interrupts it. Prints its exit status and what the
terminal has shown."""

import os, pty, select, signal, subprocess, sys, time

ours, theirs = pty.openpty()
feed, fed = os.pipe()
program = subprocess.Popen(sys.argv[1:], stdin=feed, stdout=subprocess.PIPE, stderr=theirs, close_fds=True)
os.close(theirs)
shown = b""
end = time.monotonic() + 2.5
os.write(fed, b"a\n")
while time.monotonic() < end:
    os.write(fed, b"1\n" * 1000)
    if select.select([ours], [], [], 0.05)[0]:
        shown += os.read(ours, 65536)
program.send_signal(signal.SIGINT)
try:
    while select.select([ours], [], [], 2)[0]:
        shown += os.read(ours, 65536)
except OSError:
    pass
print(program.wait(10))
sys.stdout.flush()
sys.stdout.buffer.write(shown)
