/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Allocation logs: read them, write them, and replay them against a pool or an allocator.
 *
 * The format is that of RMM's logging_resource_adaptor: a header line
 * "Thread,Time,Action,Pointer,Size,Stream", then one row per event, comma-separated. Time is microseconds or
 * a time of day (HH:MM:SS.ffffff); actions are "allocate", "free" and "allocate failure"; further columns
 * after the six are allowed and ignored. Logs are read from memory or from uncompressed files; the clpool
 * program reads gzip as well.
 *
 * A log that was read never changes.
 *
 * Thread safety: any functions, from any threads, at the same time. Since 1.0. Unless a function says
 * otherwise, it does not block and makes no OpenCL calls but those of releases that were put off, which are
 * carried out where objects are made and released.
 */
#ifndef CLPOOL_TRACE_H
#define CLPOOL_TRACE_H

#include "clpool/allocator.h"
#include "clpool/pool.h"
#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An allocation log that was read. Reference-counted. */
typedef struct clpool_trace clpool_trace;

/** Writes an allocation log. Reference-counted. */
typedef struct clpool_trace_writer clpool_trace_writer;

/** What an event of a log is. */
enum {
  /** A block was allocated. */
  CLPOOL_TRACE_ALLOCATE = 1,
  /** A block was released ("free" in the file). */
  CLPOOL_TRACE_RELEASE = 2,
  /** An allocation failed ("allocate failure" in the file). */
  CLPOOL_TRACE_ALLOCATE_FAILURE = 3
};

/** clpool_trace_event.slot of events that concern no block: failures, and size 0 at the null pointer. */
#define CLPOOL_TRACE_NO_SLOT UINT64_MAX

/** One event of a log. */
typedef struct clpool_trace_event {
  /** sizeof(clpool_trace_event) of the caller. */
  uint32_t struct_size;
  /** One of CLPOOL_TRACE_…. */
  uint32_t action;
  /** Number of the thread, as the log has it. */
  uint64_t thread;
  /** Microseconds since whatever moment the log counts from; since midnight if it has times of day. */
  uint64_t time_us;
  /** Address, or another identity that is unique while the block is live. */
  uint64_t pointer;
  /** Bytes as requested. */
  uint64_t size;
  /** Number of the stream or queue. */
  uint64_t stream;
  /** Line of the file, from 1. */
  uint64_t line;
  /** Small number that identifies the block while it is live, below clpool_trace_stats.peak_live_blocks; or
   * CLPOOL_TRACE_NO_SLOT. */
  uint64_t slot;
} clpool_trace_event;

/** Initial value of a clpool_trace_event. */
#define CLPOOL_TRACE_EVENT_INIT \
  { sizeof(clpool_trace_event), 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u }

/**
 * Sets a struct to CLPOOL_TRACE_EVENT_INIT, for languages without macros.
 * @param event receives the initial value; NULL is ignored
 */
CLPOOL_API void clpool_trace_event_init(clpool_trace_event* event) CLPOOL_NOEXCEPT;

/** Figures of a log. */
typedef struct clpool_trace_stats {
  /** sizeof(clpool_trace_stats) of the caller. */
  uint32_t struct_size;
  /** Must be 0. */
  uint32_t reserved;
  /** All events. */
  uint64_t events;
  /** Events of each action. */
  uint64_t allocations;
  /** Releases. */
  uint64_t releases;
  /** Failed allocations. */
  uint64_t allocate_failures;
  /** Different thread numbers. */
  uint64_t threads;
  /** Different sizes of successful allocations. */
  uint64_t distinct_sizes;
  /** Bytes of the largest successful allocation. */
  uint64_t largest_bytes;
  /** The most bytes that were live at a time, as requested. */
  uint64_t peak_live_bytes;
  /** The most blocks that were live at a time. */
  uint64_t peak_live_blocks;
  /** Bytes that the log never releases. */
  uint64_t final_live_bytes;
  /** Blocks that the log never releases. */
  uint64_t final_live_blocks;
} clpool_trace_stats;

/** Initial value of a clpool_trace_stats. */
#define CLPOOL_TRACE_STATS_INIT \
  { sizeof(clpool_trace_stats), 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u }

/**
 * Sets a struct to CLPOOL_TRACE_STATS_INIT, for languages without macros.
 * @param stats receives the initial value; NULL is ignored
 */
CLPOOL_API void clpool_trace_stats_init(clpool_trace_stats* stats) CLPOOL_NOEXCEPT;

/**
 * Reads a log from an uncompressed file.
 * @param path the file; beyond 1 GiB it is refused
 * @param out receives the log; the caller releases it with clpool_trace_release(). NULL on failure
 * @return CLPOOL_ERROR_IO if the file cannot be read; CLPOOL_ERROR_NOT_SUPPORTED if it is gzip;
 * CLPOOL_ERROR_BAD_FORMAT if it is too large, and otherwise as clpool_trace_parse().
 * Blocks as reading a file does.
 */
CLPOOL_API clpool_status clpool_trace_open(const char* path, clpool_trace** out) CLPOOL_NOEXCEPT;

/**
 * Reads a log from memory. Takes at most 16 times the bytes of the text, whatever is in it; the log keeps 64
 * bytes an event.
 * @param text the bytes of the log; not used after the call
 * @param length bytes
 * @param name for messages, such as the name of a file; copied
 * @param out receives the log; the caller releases it with clpool_trace_release(). NULL on failure
 * @return CLPOOL_ERROR_BAD_FORMAT, with "name:line: reason" in the message, for a header that is not RMM's, a
 * row with too few or too many fields (a truncated log), a line of more than 65,536 bytes, malformed or too
 * large numbers, an unknown action, an address that is allocated while it is live, a free of an address that
 * is not live or with another size than it was allocated with; CLPOOL_ERROR_INVALID_VALUE for a NULL
 * argument; CLPOOL_ERROR_OUT_OF_HOST_MEMORY
 */
CLPOOL_API clpool_status clpool_trace_parse(const char* text, size_t length, const char* name,
                                            clpool_trace** out) CLPOOL_NOEXCEPT;

/**
 * Adds one reference, to be given up by one more clpool_trace_release().
 * @param trace the log
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL
 */
CLPOOL_API clpool_status clpool_trace_retain(clpool_trace* trace) CLPOOL_NOEXCEPT;

/**
 * Gives up one reference; the last one ends the log.
 * @param trace the log; NULL is allowed and does nothing
 * @return always CLPOOL_SUCCESS
 */
CLPOOL_API clpool_status clpool_trace_release(clpool_trace* trace) CLPOOL_NOEXCEPT;

/**
 * Gives up one reference at some later time, for finalizers: neither waits, nor allocates, nor calls a
 * driver. The release is carried out by a later call that may do so, on any thread: one that makes or
 * releases an object of this library, other than a heap or NULL, unless a pool serves it from what it has.
 * @param trace the log; NULL is allowed and does nothing
 * @return always CLPOOL_SUCCESS.
 * Thread safety: any thread, also within callbacks.
 */
CLPOOL_API clpool_status clpool_trace_release_later(clpool_trace* trace) CLPOOL_NOEXCEPT;

/**
 * Figures of a log; they were counted when it was read.
 * @param trace the log
 * @param stats receives the figures; initialized by its _INIT macro
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument or a wrong struct_size.
 */
CLPOOL_API clpool_status clpool_trace_statistics(const clpool_trace* trace,
                                                 clpool_trace_stats* stats) CLPOOL_NOEXCEPT;

/**
 * One event of a log.
 * @param trace the log
 * @param index number of the event, from 0, in the order of the file
 * @param event receives the event; initialized by its _INIT macro
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument, a wrong struct_size or an index that is too large.
 */
CLPOOL_API clpool_status clpool_trace_event_at(const clpool_trace* trace, uint64_t index,
                                               clpool_trace_event* event) CLPOOL_NOEXCEPT;

/**
 * Begins a log with the columns Thread, Time, Action, Pointer, Size, Stream, Status, Tag. RMM's tools load
 * it.
 * @param path file to write, replaced if it exists
 * @param out receives the writer; the caller releases it with clpool_trace_writer_release(). NULL on failure
 * @return CLPOOL_ERROR_IO if the file cannot be written; CLPOOL_ERROR_NOT_SUPPORTED for a name that ends in
 * ".gz"; CLPOOL_ERROR_INVALID_VALUE for a NULL argument; CLPOOL_ERROR_OUT_OF_HOST_MEMORY.
 * Blocks as writing to a file does.
 */
CLPOOL_API clpool_status clpool_trace_writer_create(const char* path,
                                                    clpool_trace_writer** out) CLPOOL_NOEXCEPT;

/**
 * Adds a row; the calling thread's number and the time of day (UTC) are added by the writer. To be called
 * after an allocation and before a release, so that an address that is reused never seems to be live twice.
 * Rows are buffered.
 * @param writer the writer
 * @param action one of CLPOOL_TRACE_…
 * @param pointer address or another identity, not 0, that is unique while the block is live; 0 for failures
 * @param size bytes, as requested
 * @param stream number of the stream or queue; 0 where there is none
 * @param status what a failed allocation returned; CLPOOL_SUCCESS otherwise
 * @param tag_or_null free text, at most 200 bytes are kept; commas, quotes, control characters and what is
 * no UTF-8 become '_'
 * @return CLPOOL_ERROR_IO if the file could not be written, now or before; CLPOOL_ERROR_INVALID_VALUE for
 * NULL, an unknown action, or an allocation of more than 0 bytes at pointer 0;
 * CLPOOL_ERROR_INVALID_OPERATION in a child of fork().
 * May block as writing to a file does: one call in about a thousand.
 */
CLPOOL_API clpool_status clpool_trace_writer_write(clpool_trace_writer* writer, uint32_t action,
                                                   uint64_t pointer, uint64_t size, uint64_t stream,
                                                   clpool_status status,
                                                   const char* tag_or_null) CLPOOL_NOEXCEPT;

/**
 * Hands all buffered rows to the system.
 * @param writer the writer
 * @return CLPOOL_ERROR_IO if that fails, now or before; CLPOOL_ERROR_INVALID_VALUE for NULL;
 * CLPOOL_ERROR_INVALID_OPERATION in a child of fork().
 * Blocks as writing to a file does.
 */
CLPOOL_API clpool_status clpool_trace_writer_flush(clpool_trace_writer* writer) CLPOOL_NOEXCEPT;

/**
 * Adds one reference, to be given up by one more clpool_trace_writer_release().
 * @param writer the writer
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL
 */
CLPOOL_API clpool_status clpool_trace_writer_retain(clpool_trace_writer* writer) CLPOOL_NOEXCEPT;

/**
 * Gives up one reference. The last one writes what is buffered and closes the file; what goes wrong then is
 * sent as a message, so call clpool_trace_writer_flush() before to know. In a child of fork() it writes
 * nothing: what is buffered is the parent's.
 * @param writer the writer; NULL is allowed and does nothing
 * @return always CLPOOL_SUCCESS.
 * May block as writing to a file does, with the last reference.
 */
CLPOOL_API clpool_status clpool_trace_writer_release(clpool_trace_writer* writer) CLPOOL_NOEXCEPT;

/**
 * Gives up one reference at some later time, for finalizers: neither waits, nor allocates, nor calls a
 * driver. The release is carried out by a later call that may do so, on any thread: one that makes or
 * releases an object of this library, other than a heap or NULL, unless a pool serves it from what it has.
 * @param writer the writer; NULL is allowed and does nothing
 * @return CLPOOL_ERROR_INVALID_OPERATION in a child of fork().
 * Thread safety: any thread, also within callbacks.
 */
CLPOOL_API clpool_status clpool_trace_writer_release_later(clpool_trace_writer* writer) CLPOOL_NOEXCEPT;

/** How a replay is done. Every field that is 0 (or NULL) means the default. */
typedef struct clpool_trace_replay_options {
  /** sizeof(clpool_trace_replay_options) of the caller. */
  uint32_t struct_size;
  /** Must be 0. */
  uint32_t reserved;
  /** Events between two calls of the callback; 0: 4096. */
  uint64_t progress_interval;
  /**
   * Called from the replaying thread, without any lock held; the time it takes is not measured. NULL: none.
   * @param user as given below
   * @param done events that were replayed
   * @param total events to replay, less those that concern no block
   * @return 0 to go on, anything else to stop, as a C++ exception does
   */
  int32_t (*progress)(void* user, uint64_t done, uint64_t total);
  /** Passed to the callback. */
  void* user;
} clpool_trace_replay_options;

/** Initial value of a clpool_trace_replay_options: all defaults. */
#define CLPOOL_TRACE_REPLAY_OPTIONS_INIT \
  { sizeof(clpool_trace_replay_options), 0u, 0u, NULL, NULL }

/**
 * Sets a struct to CLPOOL_TRACE_REPLAY_OPTIONS_INIT, for languages without macros.
 * @param options receives the initial value; NULL is ignored
 */
CLPOOL_API void clpool_trace_replay_options_init(clpool_trace_replay_options* options) CLPOOL_NOEXCEPT;

/** What a replay found. */
typedef struct clpool_trace_replay_result {
  /** sizeof(clpool_trace_replay_result) of the caller. */
  uint32_t struct_size;
  /** Must be 0. */
  uint32_t reserved;
  /** Allocations that succeeded. */
  uint64_t allocations;
  /** Releases, with those of blocks that the log leaves live. */
  uint64_t releases;
  /** Allocations that were out of memory; their releases are left out. */
  uint64_t out_of_memory;
  /** Nanoseconds in all allocations and releases together. */
  uint64_t elapsed_ns;
  /** elapsed_ns / allocations in picoseconds: what one allocation with its release costs; 0 without
   * allocations. */
  uint64_t allocation_ps;
  /** Successful allocations from the driver (or custom allocator). */
  uint64_t driver_allocations;
  /** The most bytes that were taken from the driver at a time. */
  uint64_t peak_driver_bytes;
  /** The most bytes that were live at a time, as requested, of the allocations that succeeded. */
  uint64_t peak_live_bytes;
  /** peak_driver_bytes / peak_live_bytes in parts per million; 0 if nothing was live. */
  uint64_t ratio_ppm;
} clpool_trace_replay_result;

/** Initial value of a clpool_trace_replay_result. */
#define CLPOOL_TRACE_REPLAY_RESULT_INIT \
  { sizeof(clpool_trace_replay_result), 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u }

/**
 * Sets a struct to CLPOOL_TRACE_REPLAY_RESULT_INIT, for languages without macros.
 * @param result receives the initial value; NULL is ignored
 */
CLPOOL_API void clpool_trace_replay_result_init(clpool_trace_replay_result* result) CLPOOL_NOEXCEPT;

/**
 * Does what a log says with a pool, in the calling thread, as fast as it goes. No command is enqueued on the
 * blocks, all of which are released in any case.
 * @param trace the log
 * @param pool the pool; best a fresh one: driver_allocations is the difference that the replay makes,
 * peak_driver_bytes is that of the pool's whole life
 * @param options_or_null NULL for all defaults
 * @param result receives what was found; initialized by its _INIT macro
 * @return CLPOOL_SUCCESS, also when allocations were out of memory; CLPOOL_ERROR_CALLBACK if the progress
 * callback stopped it or threw; CLPOOL_ERROR_INVALID_VALUE for a NULL argument or a wrong struct_size;
 * CLPOOL_ERROR_OUT_OF_HOST_MEMORY; every other failure of clpool_pool_allocate() ends the replay.
 * May block like clpool_pool_allocate() and clpool_mem_release(). OpenCL calls: those of
 * clpool_pool_allocate() and clpool_mem_release().
 */
CLPOOL_API clpool_status clpool_trace_replay_pool(const clpool_trace* trace, clpool_pool* pool,
                                                  const clpool_trace_replay_options* options_or_null,
                                                  clpool_trace_replay_result* result) CLPOOL_NOEXCEPT;

/**
 * Does what a log says with an allocator, as clpool_trace_replay_pool() with a pool: each block comes from
 * the driver and goes back to it. Allocations of size 0 succeed without the driver.
 * @param trace the log
 * @param allocator the allocator
 * @param options_or_null NULL for all defaults
 * @param result receives what was found; initialized by its _INIT macro
 * @return CLPOOL_SUCCESS, also when allocations were out of memory; CLPOOL_ERROR_CALLBACK if the progress
 * callback stopped it or threw; CLPOOL_ERROR_INVALID_VALUE for a NULL argument or a wrong struct_size;
 * CLPOOL_ERROR_OUT_OF_HOST_MEMORY; every other failure of clpool_allocator_allocate() ends the replay.
 * May block like clpool_allocator_allocate() and clpool_mem_release(). OpenCL calls: those of
 * clpool_allocator_allocate() and clpool_mem_release().
 */
CLPOOL_API clpool_status clpool_trace_replay_allocator(const clpool_trace* trace, clpool_allocator* allocator,
                                                       const clpool_trace_replay_options* options_or_null,
                                                       clpool_trace_replay_result* result) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
