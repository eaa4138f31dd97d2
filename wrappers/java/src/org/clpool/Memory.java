// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.LongSupplier;

/**
 * A piece of memory, whatever made it: a buffer, sub-region, pipe, SVM or pinned allocation, pooled or not; images are
 * {@link Image}. Closing it returns it to its pool, else to the driver. Commands on it are methods of {@link CommandQueue}.
 *
 * <p>One memory is used by one thread at a time, whichever; different ones at the same time. Any thread may close it.
 */
public class Memory extends OwnedMemory implements AutoCloseable {
  /** Host memory that a buffer or image was made of, and what else that keeps. */
  static final class InHostMemory {
    private final HostBytes bytes;
    private final Object keeper;

    InHostMemory(HostBytes bytes, Object keeper) {
      this.bytes = bytes;
      this.keeper = keeper;
    }
  }

  Memory(Object keeper, LeakGuard.Leash leash, LongSupplier made) {
    super(keeper, leash, made);
  }

  Memory(Pool pool, LeakGuard.Leash leash, long size) {
    super(pool, leash, size);
  }

  /**
   * Memory that comes back when it is forgotten. What `made` uses is used until all is done here: where the stack ends at the end
   * of a use, the memory has its guard.
   */
  static Memory watched(Object keeper, LongSupplier made) {
    return new Memory(keeper, LeakGuard.leash(), made);
  }

  /**
   * A buffer for reading and writing made directly.
   *
   * @param context where it is made
   * @param size bytes, more than 0
   * @return the buffer
   */
  public static Memory buffer(Context context, long size) {
    return buffer(context, 0, size);
  }

  /**
   * A buffer made directly.
   *
   * @param context where it is made
   * @param flags cl_mem_flags such as {@link Cl#MEM_READ_WRITE}
   * @param size bytes, more than 0
   * @return the buffer
   */
  public static Memory buffer(Context context, long flags, long size) {
    Sizes.check("size", size);
    try (Uses uses = new Uses()) {
      long within = uses.of("context", context);
      return watched(context, () -> Native.clpool_buffer_create(within, flags, size, 0, 0));
    }
  }

  /**
   * A buffer for reading and writing that is a copy of host data.
   *
   * @param context where it is made
   * @param host the bytes between position and limit
   * @return the buffer
   */
  public static Memory buffer(Context context, ByteBuffer host) {
    return buffer(context, Cl.MEM_READ_WRITE | Cl.MEM_COPY_HOST_PTR, host);
  }

  /**
   * A buffer of host data: a copy of it with {@link Cl#MEM_COPY_HOST_PTR}, or the very same bytes with
   * {@link Cl#MEM_USE_HOST_PTR}, which a direct buffer is needed for, of no arena that may be closed.
   *
   * @param context where it is made
   * @param flags cl_mem_flags with one of the two
   * @param host the bytes between position and limit; kept alive, with {@link Cl#MEM_USE_HOST_PTR} until the driver
   *     is through with the buffer, even if that is long after it was closed
   * @return the buffer
   */
  public static Memory buffer(Context context, long flags, ByteBuffer host) {
    HostBytes bytes = HostBytes.forFlags(flags, host);
    try (Uses uses = new Uses()) {
      long within = uses.of("context", context);
      long start = uses.of("host", bytes);
      return watched(
              new InHostMemory(bytes, context),
              () -> Native.clpool_buffer_create(within, flags, bytes.size(), start, bytes.size()))
          .keeping(flags, bytes);
    }
  }

  /**
   * Shared virtual memory made directly: coarse grain, with the device's alignment, freed at once.
   *
   * @param context where it is made
   * @param size bytes, more than 0
   * @return the memory
   */
  public static Memory svm(Context context, long size) {
    return svm(context, 0, size, 0, null);
  }

  /**
   * Shared virtual memory made directly.
   *
   * @param context where it is made
   * @param flags cl_svm_mem_flags; 0 means {@link Cl#MEM_READ_WRITE}, coarse grain
   * @param size bytes, more than 0
   * @param alignment bytes, a power of two; 0 for the device's default
   * @param queueOrNull an in-order queue that the memory is freed behind; null: freed at once
   * @return the memory
   */
  public static Memory svm(Context context, long flags, long size, int alignment, CommandQueue queueOrNull) {
    Sizes.positive("size", size);
    Sizes.check("alignment", alignment);
    try (Uses uses = new Uses()) {
      long within = uses.of("context", context);
      long queue = uses.ofOptional(queueOrNull);
      return watched(context, () -> Native.clpool_svm_create(within, flags, size, alignment, queue));
    }
  }

  /**
   * SVM of others, from clSVMAlloc. It is not freed; the caller keeps it alive.
   *
   * @param context the context that it belongs to
   * @param pointer its address
   * @param size bytes
   * @return the memory
   */
  public static Memory wrapSvm(Context context, long pointer, long size) {
    return wrapSvm(context, pointer, size, false);
  }

  /**
   * SVM of others. It is not freed; the caller keeps it alive.
   *
   * @param context the context that it belongs to
   * @param pointer its address
   * @param size bytes
   * @param system false: from clSVMAlloc; true: ordinary host memory
   * @return the memory
   */
  public static Memory wrapSvm(Context context, long pointer, long size, boolean system) {
    Sizes.check("size", size);
    try (Uses uses = new Uses()) {
      long within = uses.of("context", context);
      return watched(context, () -> Native.clpool_svm_wrap(within, pointer, size, system ? 1 : 0));
    }
  }

  /**
   * A pipe with the driver's default flags.
   *
   * @param context where it is made
   * @param packetSize bytes of one packet
   * @param maxPackets how many packets it holds
   * @return the pipe
   */
  public static Memory pipe(Context context, int packetSize, int maxPackets) {
    return pipe(context, 0, packetSize, maxPackets);
  }

  /**
   * A pipe.
   *
   * @param context where it is made
   * @param flags cl_mem_flags; 0 means the driver's default
   * @param packetSize bytes of one packet
   * @param maxPackets how many packets it holds
   * @return the pipe
   */
  public static Memory pipe(Context context, long flags, int packetSize, int maxPackets) {
    Sizes.check("packetSize", packetSize);
    Sizes.check("maxPackets", maxPackets);
    try (Uses uses = new Uses()) {
      long within = uses.of("context", context);
      return watched(context, () -> Native.clpool_pipe_create(within, flags, packetSize, maxPackets));
    }
  }

  /**
   * For a cl_mem of any type that another library made; it is retained.
   *
   * @param clMem the cl_mem
   * @return the memory; an {@link Image} for images
   */
  public static Memory wrap(long clMem) {
    return wrap(clMem, true);
  }

  /**
   * For a cl_mem of any type that another library made.
   *
   * @param clMem the cl_mem
   * @param retain true: it is retained; false: the caller's reference is taken over
   * @return the memory; an {@link Image} for images
   */
  public static Memory wrap(long clMem, boolean retain) {
    boolean image;
    try (Memory looked = watched(null, () -> Native.clpool_mem_wrap(Context.requireHandle("cl_mem", clMem), 1))) {
      image = looked.kind() == MemoryKind.IMAGE;
    }
    return watched(image, null, () -> Native.clpool_mem_wrap(clMem, retain ? 1 : 0));
  }

  private static Memory watched(boolean image, Object keeper, LongSupplier made) {
    return image ? Image.watched(keeper, made) : watched(keeper, made);
  }

  /**
   * The alignment to ask for when items of a size are stored in SVM.
   *
   * @param itemSize bytes of one item
   * @return the next power of two, at most 128
   */
  public static int svmAlignmentFor(long itemSize) {
    return (int) Native.clpool_svm_alignment_for(Sizes.check("itemSize", itemSize));
  }

  /** Keeps host memory that is the buffer's own until the driver has no more use for it. */
  final Memory keeping(long flags, HostBytes bytes) {
    if ((flags & Cl.MEM_USE_HOST_PTR) != 0) {
      boolean kept = false;
      try {
        bytes.goOnUntilGone(handle());
        kept = true;
      } finally {
        if (!kept) {
          close();
        }
      }
    }
    return this;
  }

  /**
   * The cl_mem for kernels and other libraries; the reference stays here.
   *
   * @return the handle; 0 for SVM, pinned and custom memory
   */
  public final long handle() {
    return with(Native::clpool_mem_handle);
  }

  /**
   * The address of SVM, pinned and custom memory.
   *
   * @return the address; 0 for buffers
   */
  public final long pointer() {
    return with(Native::clpool_mem_pointer);
  }

  /**
   * Size as requested.
   *
   * @return bytes
   */
  public final long size() {
    return with(Native::clpool_mem_size);
  }

  /**
   * Size as reserved: what the memory takes. Only its size as requested may be used.
   *
   * @return bytes
   */
  public final long capacity() {
    return with(Native::clpool_mem_capacity);
  }

  /**
   * What the memory is.
   *
   * @return the kind
   */
  public final MemoryKind kind() {
    return MemoryKind.of((int) with(Native::clpool_mem_kind));
  }

  /**
   * Whether the memory returns to a pool.
   *
   * @return true if so
   */
  public final boolean isPooled() {
    return with(Native::clpool_mem_is_pooled) != 0;
  }

  /**
   * Whether it was closed.
   *
   * @return true if so
   */
  public final boolean isClosed() {
    return wasClosed();
  }

  /**
   * Where in which buffer object the memory lies: for kernels that take a buffer and an offset.
   *
   * @return the cl_mem, which is no sub-buffer, and the bytes from its start
   */
  public final MemoryRoot root() {
    long[] buffer = new long[1];
    long[] offset = new long[1];
    with(m -> Native.clpool_mem_root(m, buffer, offset));
    return new MemoryRoot(buffer[0], offset[0]);
  }

  /**
   * A CL_MEM_…, CL_IMAGE_… or CL_PIPE_… property that is one number, handle or address.
   *
   * @param name the property
   * @return the answer
   */
  public final long infoNumber(int name) {
    long[] value = new long[1];
    with(m -> Native.clpool_mem_info_number(m, name, value));
    return value[0];
  }

  /**
   * A CL_MEM_… property, or of images a CL_IMAGE_…, of pipes a CL_PIPE_… one, in the driver's bytes.
   *
   * @param name the property
   * @return the answer
   */
  public final byte[] info(int name) {
    return MemoryInfo.of(this, name);
  }

  /**
   * The cl_context in which the memory lives.
   *
   * @return the handle, without a reference; 0 for custom memory
   */
  public final long context() {
    long[] value = new long[1];
    with(m -> Native.clpool_mem_context(m, value));
    return value[0];
  }

  /**
   * Whether both are the same object: the same cl_mem, or without one the same address.
   *
   * @param other memory
   * @return true if so
   */
  public final boolean isSameAs(Memory other) {
    try (Uses uses = new Uses()) {
      return Native.clpool_mem_equal(uses.of("memory", this), uses.of("other", other)) != 0;
    }
  }

  /**
   * Passes memory to a kernel: buffers and images by their cl_mem, SVM by its address.
   *
   * @param clKernel the cl_kernel
   * @param index number of the argument
   */
  public final void setKernelArg(long clKernel, int index) {
    Sizes.check("index", index);
    with(m -> Native.clpool_mem_set_kernel_arg(m, clKernel, index));
  }

  /**
   * The memory from some byte to its end.
   *
   * @param origin bytes from its start
   * @return the part
   */
  public final Memory subRegion(long origin) {
    return part(Sizes.check("origin", origin), Sizes.WHOLE, 0);
  }

  /**
   * A part of the memory, which it keeps alive; of sub-regions too.
   *
   * @param origin bytes from its start; for buffers the sum with the memory's own offset must be a multiple of the
   *     device's base address alignment
   * @param size bytes
   * @return the part
   */
  public final Memory subRegion(long origin, long size) {
    return subRegion(origin, size, 0);
  }

  /**
   * A part of the memory with flags of its own.
   *
   * @param origin bytes from its start
   * @param size bytes
   * @param flags cl_mem_flags; 0 means those of the memory
   * @return the part
   */
  public final Memory subRegion(long origin, long size, long flags) {
    return part(Sizes.check("origin", origin), Sizes.check("size", size), flags);
  }

  private Memory part(long origin, long size, long flags) {
    try (Uses uses = new Uses()) {
      long whole = uses.of("memory", this);
      return watched(keeper(), () -> Native.clpool_mem_sub_region(whole, origin, size, flags));
    }
  }

  /**
   * A buffer for reading and writing over the same bytes as SVM. It keeps the SVM alive. Not every driver allows it.
   *
   * @return the buffer
   */
  public final Memory asBuffer() {
    return asBuffer(0);
  }

  /**
   * A buffer over the same bytes as SVM, for functions that take buffers only. It keeps the SVM alive. Not every driver
   * allows it.
   *
   * @param flags cl_mem_flags; 0 means {@link Cl#MEM_READ_WRITE}
   * @return the buffer
   */
  public final Memory asBuffer(long flags) {
    try (Uses uses = new Uses()) {
      long svm = uses.of("memory", this);
      return watched(keeper(), () -> Native.clpool_svm_as_buffer(svm, flags, Sizes.WHOLE));
    }
  }

  /**
   * Pinned memory and SVM as host memory, in native byte order. Coarse-grain SVM must be mapped while it is used. The
   * view keeps the memory from being collected, but must not be used after {@link #close()}: for memory of no pool, from
   * Java 22 on, that is an IllegalStateException, also where it is passed as host memory of a command. Those of blocks are
   * not refused, because that would cost each close as much as a command: what they show is the next user's. From Java 22 on,
   * {@code MemorySegment.ofBuffer(view)} is a segment of it.
   *
   * @return the bytes, at most 2,147,483,647
   */
  public final ByteBuffer byteBuffer() {
    return byteBuffer(0, size());
  }

  /**
   * A part of pinned memory or SVM as host memory, in native byte order.
   *
   * @param offset bytes from the memory's start
   * @param size bytes, at most 2,147,483,647
   * @return the bytes
   */
  public final ByteBuffer byteBuffer(long offset, long size) {
    begin();
    try {
      MemoryKind kind = kind();
      long pointer = pointer();
      if (pointer == 0 || kind == MemoryKind.CUSTOM) {
        throw Errors.state(
            kind == MemoryKind.CUSTOM
                ? "memory of a custom allocator may be any numbers: pointer() has the one of this block"
                : "memory of kind " + kind + " is not in the host's address space: map it");
      }
      return ownViews().of(pointer, size(), offset, size);
    } finally {
      end();
    }
  }

  /**
   * The host memory that a buffer made with {@link Cl#MEM_USE_HOST_PTR} lies in. To see what devices wrote, map it
   * first. If the host buffer was a view of memory or of a map, this one ends with that: its use is an IllegalStateException
   * when that view's is.
   *
   * @return the bytes, at most 2,147,483,647, in native order
   * @throws IllegalStateException also if the host buffer was a view of what is closed or unmapped
   */
  public final ByteBuffer hostMemory() {
    long[] pointer = new long[1];
    long[] size = new long[1];
    with(m -> Native.clpool_mem_host_memory(m, pointer, size));
    HostBytes.checkView(size[0], 0, size[0]);
    HostBytes bytes = hostBytes();
    ByteBuffer view =
        bytes == null ? HostBytes.view(this, pointer[0], size[0]) : bytes.part(pointer[0], size[0]);
    return view.order(ByteOrder.nativeOrder());
  }

  private HostBytes hostBytes() {
    Object kept = keeper();
    if (kept instanceof Memory) { // the buffer that an image is of
      return ((Memory) kept).hostBytes();
    }
    return kept instanceof InHostMemory ? ((InHostMemory) kept).bytes : null;
  }

  /**
   * Adds one reference: a second object for the same memory, which goes back when both are closed. There may be 16,383 at a
   * time, with forgotten ones that the collector has not found yet.
   *
   * @return the second object
   */
  public final Memory retain() {
    try (Uses uses = new Uses()) {
      long memory = uses.of("memory", this);
      return watched(
          this instanceof Image,
          keeper(),
          () -> {
            Native.clpool_mem_retain(memory);
            return memory;
          });
    }
  }

  /**
   * Marks a block of a pool for pictures and leak lists.
   *
   * @param tag any number; 0 is that of blocks without a mark
   */
  public final void setTag(long tag) {
    with(m -> Native.clpool_mem_set_tag(m, tag));
  }

  /**
   * Says that commands use a block of a pool which may still run when it is closed: the pool hands it out again only
   * when all events are complete.
   *
   * @param events the events
   */
  public final void releaseAfter(Event... events) {
    try (Uses uses = new Uses()) {
      Native.clpool_mem_release_after(uses.of("memory", this), uses.of("events", events));
    }
  }

  /**
   * Says that commands on a queue other than the pool's use a block.
   *
   * @param queue the queue
   */
  public final void usedOn(CommandQueue queue) {
    try (Uses uses = new Uses()) {
      Native.clpool_mem_used_on(uses.of("memory", this), uses.of("queue", queue));
    }
  }

  /**
   * From now on the memory (SVM, or a block of a pool) is used on this queue and freed behind its commands.
   *
   * @param queue an in-order queue
   */
  public final void bindQueue(CommandQueue queue) {
    try (Uses uses = new Uses()) {
      Native.clpool_mem_bind_queue(uses.of("memory", this), uses.of("queue", queue));
    }
  }

  /** Waits for the queue that the memory is bound to and forgets it. */
  public final void unbindQueue() {
    with(Native::clpool_mem_unbind_queue);
  }

  /**
   * Closes SVM or a block of a pool behind the commands of the queue that it is bound to.
   *
   * @return the end of the release
   * @throws IllegalArgumentException if it is bound to none
   * @throws IllegalStateException if a call of another thread uses the memory or a view of it, or a buffer lies in one
   */
  public final Event closeOn() {
    return closeOn(null, new Event[0]);
  }

  /**
   * Closes SVM or a block of a pool behind a queue's commands and some events, and behind the commands that were enqueued
   * with views of it as host memory. No other thread may use it then, nor a view of it. If it fails, the memory is open, but where
   * the driver refused the command, from Java 22 on, views that there were are of no use any more, and new ones are.
   *
   * @param queueOrNull the queue; null: the one that the memory is bound to
   * @param after events to wait for
   * @return the end of the release
   * @throws IllegalStateException if a call of another thread uses the memory or a view of it, or a buffer lies in one
   */
  public final Event closeOn(CommandQueue queueOrNull, Event... after) {
    return closeBehind(queueOrNull, after);
  }

  /** Closes the memory without waiting and without calling a driver: a later call of the library does that. */
  public final void closeLater() {
    close(RELEASE_LATER);
  }

  /**
   * Closes a block that no command uses any more, which the caller knows and the pool need not find out: it may be
   * reused, and its memory given back, at once. For other memory the same as {@link #close()}.
   */
  public final void closeIdle() {
    close(RELEASE_IDLE);
  }

  /**
   * Returns the memory to its pool, else to the driver; what uses it at this moment on another thread ends in order. That is
   * so for views of it as well: memory that is the host memory of a call, of a command or of a buffer goes back when these
   * have ended (a block at once: its pool knows of the command), and where a file is read into a view or the like, when the
   * views are forgotten. May be called again.
   */
  @Override
  public final void close() {
    close(RELEASE);
  }

  @Override
  final String details() {
    long clMem = Native.clpool_mem_handle(value());
    long address = clMem == 0 ? Native.clpool_mem_pointer(value()) : clMem;
    return MemoryKind.of(Native.clpool_mem_kind(value()))
        + ", " + Native.clpool_mem_size(value()) + " bytes, 0x" + Long.toHexString(address);
  }

  /** What it is and how it is; never an exception. */
  @Override
  public final String toString() {
    return describe();
  }
}
