# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a .NET program whose memory is to be out. The runtime itself may end for want of it, saying just "Out of memory.": that is
no answer, and the program is run again, a few times."""
import signal
import subprocess
import sys

MOST_RUNS = 30

for _ in range(MOST_RUNS):
    run = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode != -signal.SIGABRT or run.stdout.strip() != b"Out of memory.":
        break
sys.stdout.buffer.write(run.stdout)
sys.exit(run.returncode if run.returncode >= 0 else 128 - run.returncode)
