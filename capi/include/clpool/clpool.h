/* Everything of libclpool's C API in one include. */
#ifndef CLPOOL_CLPOOL_H
#define CLPOOL_CLPOOL_H

#include "clpool/allocator.h"
#include "clpool/device.h"
#include "clpool/mem.h"
#include "clpool/message.h"
#include "clpool/pool.h"
#include "clpool/status.h"
#include "clpool/trace.h"

#endif
