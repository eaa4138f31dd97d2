/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Everything of libclpool's C API in one include. */
#ifndef CLPOOL_CLPOOL_H
#define CLPOOL_CLPOOL_H

#include "clpool/allocator.h"
#include "clpool/answer.h"
#include "clpool/bank.h"
#include "clpool/buffer.h"
#include "clpool/characterize.h"
#include "clpool/device.h"
#include "clpool/device_data.h"
#include "clpool/heap.h"
#include "clpool/image.h"
#include "clpool/info.h"
#include "clpool/map.h"
#include "clpool/mem.h"
#include "clpool/memo.h"
#include "clpool/message.h"
#include "clpool/occupancy.h"
#include "clpool/pipe.h"
#include "clpool/pool.h"
#include "clpool/sampler.h"
#include "clpool/status.h"
#include "clpool/svm.h"
#include "clpool/trace.h"
#include "clpool/transfer.h"

#endif
