/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* A header such as the public ones, for the generator's own tests. */
#ifndef CLPOOL_SMALL_H
#define CLPOOL_SMALL_H

/** A handle. */
typedef struct clpool_thing clpool_thing;

/** What a call came to. */
enum {
  /** Fine. */
  CLPOOL_SUCCESS = 0,
  /** Not < & fine. */
  CLPOOL_ERROR_IO = 1,
  /** Worse; see CLPOOL_ERROR_IO. */
  CLPOOL_ERROR_NOT_FOUND = 2,
  /** Worst. */
  CLPOOL_ERROR_INTERNAL = 3
};

/** How round. */
enum {
  /** Not at all. */
  CLPOOL_SHAPE_SQUARE = 1,
  /** Wholly. */
  CLPOOL_SHAPE_ROUND_UINT8 = 0x10
};

/** Most weights of a clpool_small_options. */
#define CLPOOL_MAX_WEIGHTS 3

/** Figures. */
typedef struct clpool_small_stats {
  /** sizeof(clpool_small_stats) of the caller. */
  uint32_t struct_size;
  /** Must be 0. */
  uint32_t reserved;
  /** Bytes; NULL counts as none. */
  uint64_t held_bytes;
  /** Nanoseconds; part of held_bytes. */
  uint64_t waited_ns;
} clpool_small_stats;

/** Initial value of a clpool_small_stats. */
#define CLPOOL_SMALL_STATS_INIT \
  { sizeof(clpool_small_stats), 0u, 0u, 0u }

/** What is wanted. */
typedef struct clpool_small_options {
  /** sizeof(clpool_small_options) of the caller. */
  uint32_t struct_size;
  /** One of CLPOOL_SHAPE_…. */
  uint32_t shape;
  /** Not 0: louder than `unit`. */
  uint32_t loud;
  /** Number of entries of weights that count. */
  uint32_t weight_count;
  /** Grams. */
  uint64_t weights[CLPOOL_MAX_WEIGHTS];
  /** Bytes, at least 1. */
  uint64_t unit;
  /** Set of CL_DEVICE_TYPE_… bits. */
  cl_device_type types;
  /** Copied; NULL: "". */
  const char* name;
} clpool_small_options;

/** Initial value of a clpool_small_options. */
#define CLPOOL_SMALL_OPTIONS_INIT \
  { sizeof(clpool_small_options), 1u, 0u, 0u, {0u, 0u, 0u}, 1u, 0u, NULL }

/** What it is. */
typedef struct clpool_small_facts {
  /** sizeof(clpool_small_facts) of the caller. */
  uint32_t struct_size;
  /** From 0; UINT32_MAX for nowhere. */
  uint32_t place;
  /** Set of CL_DEVICE_TYPE_… bits; 0: any. */
  cl_device_type type;
  /** Its name. */
  char name[64];
  /** Static. */
  const char* note;
} clpool_small_facts;

/**
 * Sets a struct to CLPOOL_SMALL_STATS_INIT.
 * @param stats receives it
 */
CLPOOL_API void clpool_small_stats_init(clpool_small_stats* stats) CLPOOL_NOEXCEPT;

/**
 * Sets a struct to CLPOOL_SMALL_OPTIONS_INIT.
 * @param options receives it
 */
CLPOOL_API void clpool_small_options_init(clpool_small_options* options) CLPOOL_NOEXCEPT;

/**
 * Sets a struct to its initial value.
 * @param facts receives it
 */
CLPOOL_API void clpool_small_facts_init(clpool_small_facts* facts) CLPOOL_NOEXCEPT;

#endif
