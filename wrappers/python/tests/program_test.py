# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
"""python -m clpool."""
import os
import subprocess
import sys


def run(path, *arguments):
    """What the program says, where PATH is `path`."""
    return subprocess.run([sys.executable, "-m", "clpool", *arguments], env={**os.environ, "PATH": str(path)},
                          capture_output=True, text=True, check=False, timeout=60)


def test_the_program_on_the_path_gets_all_arguments_and_its_exit_code_counts(tmp_path):
    program = tmp_path / "clpool"
    program.write_text('#!/bin/sh\nprintf "%s|" "$@"\nexit 3\n')
    program.chmod(0o755)
    done = run(tmp_path, "replay", "a b", "--json", "-")
    assert (done.returncode, done.stdout) == (3, "replay|a b|--json|-|"), done.stderr


def test_without_a_program_the_message_says_where_it_was_looked_for(tmp_path):
    done = run(tmp_path, "devices")
    assert done.returncode == 127
    assert "there is no program clpool" in done.stderr and "PATH" in done.stderr, done.stderr
