// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Java classes over libclpool.
 *
 * <p>Begin with {@link org.clpool.Session}, or with handles of your own in {@link org.clpool.Context#of} and
 * {@link org.clpool.CommandQueue#of}; make an {@link org.clpool.Allocator}, a {@link org.clpool.Pool} over it, and
 * {@link org.clpool.Memory} from that.
 *
 * <p>Everything that holds native resources is {@link java.lang.AutoCloseable}: {@code close()} never throws checked
 * exceptions and may be called again; whatever else is called after it throws
 * {@link java.lang.IllegalStateException}. A call that uses the object at that moment, on whatever thread, ends in order, and
 * the object goes back at its end. What is forgotten comes back when the garbage collector finds it, but the
 * collector sees the few bytes of the Java object and not the memory behind it: close what you can. Objects keep
 * alive what they need: a block its pool, a pool its allocator, an allocator its context and queue; they may be
 * closed in any order.
 *
 * <p>Handles go in and out as {@code long}, so that programs of JOCL, LWJGL or JNA can use them. Sizes and offsets are
 * bytes and 64 bits wide; negative ones are refused.
 *
 * <p>Threads: pools, allocators, queues, caches, traces, device data, heaps may be used by any number of threads at once.
 * One {@link org.clpool.Memory}, {@link org.clpool.MappedMemory} is used by one thread at a time, whichever. Any thread may
 * close anything at any time.
 *
 * <p>From Java 24 on, programs are started with {@code --enable-native-access=ALL-UNNAMED}, or on the module path with
 * {@code --enable-native-access=org.clpool}: else Java warns of calls of native code, or refuses them.
 *
 * <p>Errors: see {@link org.clpool.ClpoolError}.
 */
package org.clpool;
