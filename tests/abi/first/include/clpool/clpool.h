/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* clpool.h as first pinned, without its comments: see ../../README.md. Never changed. */
#ifndef CLPOOL_CLPOOL_H
#define CLPOOL_CLPOOL_H

#include "clpool/allocator.h"
#include "clpool/mem.h"
#include "clpool/message.h"
#include "clpool/pool.h"
#include "clpool/status.h"

#endif
