#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# variables.sh LIBRARY: it asks for variables by secure_getenv() alone, which answers nothing in privileged processes.
set -eu
asked=$(nm -D --undefined-only "$1" | sed -n 's/^ *U \([a-z_]*\)\(@.*\)\{0,1\}$/\1/p' | grep -E 'environ|getenv' | sort -u | tr '\n' ' ')
[ "$asked" = "secure_getenv " ] || { echo "asked by: $asked"; exit 1; }
