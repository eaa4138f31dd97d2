// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/**
 * A piece of memory, whatever made it: a buffer, sub-region, pipe, SVM or pinned allocation, pooled or not; images are
 * {@link Image}. Closing it returns it to its pool, else to the driver. Commands on it are methods of {@link Queue}.
 *
 * <p>One memory is used by one thread at a time, whichever; different ones at the same time.
 */
public class Memory implements AutoCloseable {
  private static final VarHandle HANDLE;

  static {
    try {
      HANDLE = MethodHandles.lookup().findVarHandle(Memory.class, "handle", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Object keeper; // a pool, allocator or parent, whose Java part (callbacks) must live as long
  private LeakGuard guard;
  private long handle; // 0 once closed

  /** Memory that nobody watches. */
  Memory(long handle, Object keeper) {
    this.handle = handle;
    this.keeper = keeper;
  }

  /** Memory that comes back when it is forgotten. */
  static Memory watched(long handle, Object keeper) {
    return watched(handle, keeper, null);
  }

  static Memory watched(long handle, Object keeper, Throwable origin) {
    return new Memory(handle, keeper).watch(origin);
  }

  final Memory watch(Throwable origin) {
    guard = LeakGuard.watch(this, handle, keeper, origin);
    return this;
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
    return watched(Native.clpool_buffer_create(context.handle(), flags, Sizes.check("size", size), 0, 0), context);
  }

  /**
   * A buffer of host data: a copy of it with {@link Cl#MEM_COPY_HOST_PTR}, or the very same bytes with
   * {@link Cl#MEM_USE_HOST_PTR}, which a direct buffer is needed for.
   *
   * @param context where it is made
   * @param flags cl_mem_flags with one of the two
   * @param host the bytes between position and limit; kept alive
   * @return the buffer
   */
  public static Memory buffer(Context context, long flags, ByteBuffer host) {
    HostBytes bytes = (flags & Cl.MEM_USE_HOST_PTR) != 0 ? HostBytes.direct(host, true) : HostBytes.toRead(host);
    long buffer = Native.clpool_buffer_create(context.handle(), flags, bytes.size(), bytes.address(), bytes.size());
    Memory memory = watched(buffer, new Object[] {context, bytes});
    Reference.reachabilityFence(bytes);
    return memory;
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
  public static Memory svm(Context context, long flags, long size, int alignment, Queue queueOrNull) {
    if (size <= 0) {
      throw new IllegalArgumentException("size is " + size + ", but must be more than 0");
    }
    Sizes.check("alignment", alignment);
    long made =
        context.with(
            c -> Queue.with(queueOrNull, queue -> Native.clpool_svm_create(c, flags, size, alignment, queue)));
    return watched(made, context);
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
    long made = Native.clpool_svm_wrap(context.handle(), pointer, Sizes.check("size", size), system ? 1 : 0);
    return watched(made, context);
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
    long packet = Sizes.check("packetSize", packetSize);
    return watched(
        Native.clpool_pipe_create(context.handle(), flags, packet, Sizes.check("maxPackets", maxPackets)), context);
  }

  /**
   * For a cl_mem of any type that another library made.
   *
   * @param clMem the cl_mem
   * @param retain true: it is retained; false: the caller's reference is taken over
   * @return the memory; an {@link Image} for images
   */
  public static Memory wrap(long clMem, boolean retain) {
    long made = Native.clpool_mem_wrap(Context.requireHandle("cl_mem", clMem), retain ? 1 : 0);
    boolean image = MemoryKind.of(Native.clpool_mem_kind(made)) == MemoryKind.IMAGE;
    return (image ? new Image(made, null) : new Memory(made, null)).watch(null);
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

  /** The native object; the memory has to stay reachable while it is used. */
  final long live() {
    long current = handle;
    if (current == 0) {
      throw Errors.closed("memory");
    }
    return current;
  }

  /**
   * The cl_mem for kernels and other libraries; the reference stays here.
   *
   * @return the handle; 0 for SVM, pinned and custom memory
   */
  public final long handle() {
    long value = Native.clpool_mem_handle(live());
    Reference.reachabilityFence(this);
    return value;
  }

  /**
   * The address of SVM, pinned and custom memory.
   *
   * @return the address; 0 for buffers
   */
  public final long pointer() {
    long value = Native.clpool_mem_pointer(live());
    Reference.reachabilityFence(this);
    return value;
  }

  /**
   * Size as requested.
   *
   * @return bytes
   */
  public final long size() {
    long value = Native.clpool_mem_size(live());
    Reference.reachabilityFence(this);
    return value;
  }

  /**
   * Size as reserved: what the memory takes. Only its size as requested may be used.
   *
   * @return bytes
   */
  public final long capacity() {
    long value = Native.clpool_mem_capacity(live());
    Reference.reachabilityFence(this);
    return value;
  }

  /**
   * What the memory is.
   *
   * @return the kind
   */
  public final MemoryKind kind() {
    int value = Native.clpool_mem_kind(live());
    Reference.reachabilityFence(this);
    return MemoryKind.of(value);
  }

  /**
   * Whether the memory returns to a pool.
   *
   * @return true if so
   */
  public final boolean isPooled() {
    int value = Native.clpool_mem_is_pooled(live());
    Reference.reachabilityFence(this);
    return value != 0;
  }

  /**
   * Whether it was closed.
   *
   * @return true if so
   */
  public final boolean isClosed() {
    return handle == 0;
  }

  /**
   * Where in which buffer object the memory lies: for kernels that take a buffer and an offset.
   *
   * @return the cl_mem, which is no sub-buffer, and the bytes from its start
   */
  public final MemoryRoot root() {
    long[] buffer = new long[1];
    long[] offset = new long[1];
    Native.clpool_mem_root(live(), buffer, offset);
    Reference.reachabilityFence(this);
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
    Native.clpool_mem_info_number(live(), name, value);
    Reference.reachabilityFence(this);
    return value[0];
  }

  /**
   * A CL_MEM_… property, or of images a CL_IMAGE_…, of pipes a CL_PIPE_… one, in the driver's bytes.
   *
   * @param name the property
   * @return the answer
   */
  public final byte[] info(int name) {
    byte[] answer = MemoryInfo.of(this, name);
    Reference.reachabilityFence(this);
    return answer;
  }

  /**
   * The cl_context in which the memory lives.
   *
   * @return the handle, without a reference; 0 for custom memory
   */
  public final long context() {
    long[] value = new long[1];
    Native.clpool_mem_context(live(), value);
    Reference.reachabilityFence(this);
    return value[0];
  }

  /**
   * Whether both are the same object: the same cl_mem, or without one the same address.
   *
   * @param other memory
   * @return true if so
   */
  public final boolean isSameAs(Memory other) {
    boolean same = Native.clpool_mem_equal(live(), other.live()) != 0;
    Reference.reachabilityFence(this);
    Reference.reachabilityFence(other);
    return same;
  }

  /**
   * Passes memory to a kernel: buffers and images by their cl_mem, SVM by its address.
   *
   * @param clKernel the cl_kernel
   * @param index number of the argument
   */
  public final void setKernelArg(long clKernel, int index) {
    Native.clpool_mem_set_kernel_arg(live(), clKernel, Sizes.check("index", index));
    Reference.reachabilityFence(this);
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
    long part =
        Native.clpool_mem_sub_region(live(), Sizes.check("origin", origin), Sizes.check("size", size), flags);
    Reference.reachabilityFence(this);
    return watched(part, keeper);
  }

  /**
   * A buffer over the same bytes as SVM, for functions that take buffers only. It keeps the SVM alive. Not every driver
   * allows it.
   *
   * @param flags cl_mem_flags; 0 means {@link Cl#MEM_READ_WRITE}
   * @return the buffer
   */
  public final Memory asBuffer(long flags) {
    long buffer = Native.clpool_svm_as_buffer(live(), flags, Sizes.WHOLE);
    Reference.reachabilityFence(this);
    return watched(buffer, keeper);
  }

  /**
   * Pinned memory and SVM as host memory, in native byte order. Coarse-grain SVM must be mapped while it is used. The
   * view keeps the memory from being collected, but must not be used after {@link #close()}.
   *
   * @return the bytes, at most 2 GiB
   */
  public final ByteBuffer byteBuffer() {
    return byteBuffer(0, size());
  }

  /**
   * A part of pinned memory or SVM as host memory, in native byte order.
   *
   * @param offset bytes from the memory's start
   * @param size bytes, at most 2 GiB
   * @return the bytes
   */
  public final ByteBuffer byteBuffer(long offset, long size) {
    MemoryKind kind = kind();
    long pointer = pointer();
    if (pointer == 0 || kind == MemoryKind.CUSTOM) {
      throw new IllegalStateException("memory of kind " + kind + " is not in the host's address space: map it");
    }
    return HostBytes.view(this, pointer, size(), offset, size);
  }

  /**
   * The host memory that a buffer made with {@link Cl#MEM_USE_HOST_PTR} lies in. To see what devices wrote, map it
   * first.
   *
   * @return the bytes, at most 2 GiB, in native order
   */
  public final ByteBuffer hostMemory() {
    long[] pointer = new long[1];
    long[] size = new long[1];
    Native.clpool_mem_host_memory(live(), pointer, size);
    return HostBytes.view(this, pointer[0], size[0], 0, size[0]);
  }

  /**
   * Adds one reference: a second object for the same memory, which goes back when both are closed.
   *
   * @return the second object
   */
  public final Memory retain() {
    long same = live();
    Native.clpool_mem_retain(same);
    Memory second = this instanceof Image ? new Image(same, keeper) : new Memory(same, keeper);
    Reference.reachabilityFence(this);
    return second.watch(null);
  }

  /**
   * Marks a block of a pool for pictures and leak lists.
   *
   * @param tag any number; 0 is that of blocks without a mark
   */
  public final void setTag(long tag) {
    Native.clpool_mem_set_tag(live(), tag);
    Reference.reachabilityFence(this);
  }

  /**
   * Says that commands use a block of a pool which may still run when it is closed: the pool hands it out again only
   * when all events are complete.
   *
   * @param events the events
   */
  public final void releaseAfter(Event... events) {
    Native.clpool_mem_release_after(live(), Event.handles(events));
    Reference.reachabilityFence(this);
    Reference.reachabilityFence(events);
  }

  /**
   * Says that commands on a queue other than the pool's use a block.
   *
   * @param queue the queue
   */
  public final void usedOn(Queue queue) {
    queue.with(q -> Native.clpool_mem_used_on(live(), q));
    Reference.reachabilityFence(this);
  }

  /**
   * From now on the memory (SVM, or a block of a pool) is used on this queue and freed behind its commands.
   *
   * @param queue an in-order queue
   */
  public final void bindQueue(Queue queue) {
    queue.with(q -> Native.clpool_mem_bind_queue(live(), q));
    Reference.reachabilityFence(this);
  }

  /** Waits for the queue that the memory is bound to and forgets it. */
  public final void unbindQueue() {
    Native.clpool_mem_unbind_queue(live());
    Reference.reachabilityFence(this);
  }

  /**
   * Closes SVM or a block of a pool behind a queue's commands and some events.
   *
   * @param queueOrNull the queue; null: the one that the memory is bound to
   * @param after events to wait for
   * @return the end of the release
   */
  public final Event closeOn(Queue queueOrNull, Event... after) {
    long[] event = new long[1];
    Queue.with(queueOrNull, queue -> Native.clpool_mem_release_on(live(), queue, Event.handles(after), event));
    forget();
    return new Event(event[0], null);
  }

  /** Closes the memory without waiting and without calling a driver: a later call of the library does that. */
  public final void closeLater() {
    long last = forget();
    if (last != 0) {
      Native.clpool_mem_release_later(last);
    }
  }

  /**
   * Closes a block that no command uses any more, which the caller knows and the pool need not find out: it may be
   * reused, and its memory given back, at once. For other memory the same as {@link #close()}.
   */
  public final void closeIdle() {
    long last = forget();
    if (last != 0) {
      Native.clpool_mem_release_idle(last);
    }
  }

  /** Returns the memory to its pool, else to the driver. May be called again. */
  @Override
  public final void close() {
    long last = forget();
    if (last != 0) {
      Native.clpool_mem_release(last);
    }
  }

  // Even two threads that close at once release once: else the second would release the block's next user.
  private long forget() {
    long last = (long) HANDLE.getAndSet(this, 0L);
    if (last != 0 && guard != null) {
      guard.disarm();
      guard = null;
    }
    Reference.reachabilityFence(this); // not found forgotten before the guard is disarmed
    return last;
  }

  @Override
  public String toString() {
    if (isClosed()) {
      return "Memory[closed]";
    }
    long address = handle() == 0 ? pointer() : handle();
    return "Memory[" + kind() + ", " + size() + " bytes, 0x" + Long.toHexString(address) + "]";
  }
}
