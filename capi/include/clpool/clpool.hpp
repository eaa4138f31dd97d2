// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Everything of libclpool's C++ layer in one include: owning types over the C API, failures as exceptions or
// as std::error_code. Header only, C++17.
#ifndef CLPOOL_CLPOOL_HPP
#define CLPOOL_CLPOOL_HPP

#include "clpool/characterize.hpp"
#include "clpool/clpool.h"
#include "clpool/command.hpp"
#include "clpool/device.hpp"
#include "clpool/error.hpp"
#include "clpool/heap.hpp"
#include "clpool/image.hpp"
#include "clpool/mem.hpp"
#include "clpool/message.hpp"
#include "clpool/pool.hpp"
#include "clpool/trace.hpp"

#endif
