// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/**
 * A source of chunks written in Java: host memory, a file, another library's buffers, any number space. Called without
 * any lock held, possibly from several threads at once. It must not hold the pool over it strongly, or neither is ever
 * collected.
 */
public interface CustomAllocator {
  /**
   * Makes a chunk.
   *
   * @param size bytes, more than 0
   * @param alignment bytes, a power of two: the chunk must be a multiple of it if pointers of blocks are to be aligned
   * @return any value except 0; {@link Memory#pointer()} of a block is this value + the block's offset
   * @throws OutOfDeviceMemoryException if there is no memory: a pool gives memory back and asks again. So it does for a
   *     {@link ClpoolError} with OpenCL's code -4, -5 or -6; other negative codes fail the request with
   *     {@link Status#OPENCL}, anything else that is thrown with {@link Status#CALLBACK}. It is the cause of the exception that the
   *     request ends with.
   */
  long allocate(long size, long alignment);

  /**
   * Takes a chunk back.
   *
   * @param chunk what {@link #allocate} returned
   * @param size the size that it was made with
   */
  void deallocate(long chunk, long size);

  /** Called once when nothing uses the allocator any more. Does nothing by default. */
  default void destroy() {}
}
