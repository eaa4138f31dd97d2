#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# readme.sh README SOURCE: the first C block of the README is this source, line for line, without the two of its licence.
diff <(sed -n '/^```c$/,/^```$/p' "$1" | sed '/^```$/q' | sed '/^```/d') <(sed '1,2d' "$2")
