// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Numbers that the library and OpenCL give names to.
using System;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>Result of a call, as exceptions carry it.</summary>
    public enum Status
    {
        /// <summary>The call did what it says.</summary>
        Success = Native.CLPOOL_SUCCESS,
        /// <summary>An argument is outside its range.</summary>
        InvalidValue = Native.CLPOOL_ERROR_INVALID_VALUE,
        /// <summary>The object's state does not allow the call.</summary>
        InvalidOperation = Native.CLPOOL_ERROR_INVALID_OPERATION,
        /// <summary>Device memory or a limit is exhausted.</summary>
        OutOfMemory = Native.CLPOOL_ERROR_OUT_OF_MEMORY,
        /// <summary>Host memory for bookkeeping is exhausted.</summary>
        OutOfHostMemory = Native.CLPOOL_ERROR_OUT_OF_HOST_MEMORY,
        /// <summary>The device, platform or OpenCL version lacks the feature.</summary>
        NotSupported = Native.CLPOOL_ERROR_NOT_SUPPORTED,
        /// <summary>An OpenCL call failed.</summary>
        OpenCL = Native.CLPOOL_ERROR_OPENCL,
        /// <summary>A callback failed; the inner exception is what it threw.</summary>
        Callback = Native.CLPOOL_ERROR_CALLBACK,
        /// <summary>A file could not be opened, read or written.</summary>
        InputOutput = Native.CLPOOL_ERROR_IO,
        /// <summary>Input is malformed; the message names the place.</summary>
        BadFormat = Native.CLPOOL_ERROR_BAD_FORMAT,
        /// <summary>No such device, entry or object.</summary>
        NotFound = Native.CLPOOL_ERROR_NOT_FOUND,
        /// <summary>A non-blocking call would have had to block.</summary>
        WouldBlock = Native.CLPOOL_ERROR_WOULD_BLOCK,
        /// <summary>A broken invariant of the library itself.</summary>
        Internal = Native.CLPOOL_ERROR_INTERNAL
    }

    /// <summary>How much a message matters.</summary>
    public enum MessageSeverity
    {
        /// <summary>What a pool does, for those who asked.</summary>
        Trace = Native.CLPOOL_MESSAGE_TRACE,
        /// <summary>Works, but probably not as meant.</summary>
        Warning = Native.CLPOOL_MESSAGE_WARNING,
        /// <summary>Something failed where no exception could be thrown.</summary>
        Error = Native.CLPOOL_MESSAGE_ERROR
    }

    /// <summary>What a piece of memory is.</summary>
    public enum MemoryKind
    {
        /// <summary>A buffer, or a part of one that a pool handed out.</summary>
        Buffer = Native.CLPOOL_MEM_KIND_BUFFER,
        /// <summary>A sub-region that was asked for.</summary>
        SubRegion = Native.CLPOOL_MEM_KIND_SUB_REGION,
        /// <summary>An image.</summary>
        Image = Native.CLPOOL_MEM_KIND_IMAGE,
        /// <summary>A pipe.</summary>
        Pipe = Native.CLPOOL_MEM_KIND_PIPE,
        /// <summary>Shared virtual memory.</summary>
        Svm = Native.CLPOOL_MEM_KIND_SVM,
        /// <summary>Page-locked host memory.</summary>
        Pinned = Native.CLPOOL_MEM_KIND_PINNED,
        /// <summary>Memory of a custom allocator.</summary>
        Custom = Native.CLPOOL_MEM_KIND_CUSTOM
    }

    /// <summary>How a pool finds memory.</summary>
    public enum PoolStrategy
    {
        /// <summary>The library's choice: coalescing.</summary>
        Default = Native.CLPOOL_STRATEGY_DEFAULT,
        /// <summary>Blocks are split from large chunks and merged again.</summary>
        Coalescing = Native.CLPOOL_STRATEGY_COALESCING,
        /// <summary>Whole chunks in bins, exactly as PyOpenCL's and PyCUDA's pools do.</summary>
        Binned = Native.CLPOOL_STRATEGY_BINNED
    }

    /// <summary>What happens to blocks that nobody disposed of.</summary>
    public enum LeakDetection
    {
        /// <summary>The garbage collector brings them back to the pool. The default.</summary>
        Reclaim,
        /// <summary>As Reclaim, and <see cref="Library.Message"/> tells where each was allocated. Slow.</summary>
        Trace,
        /// <summary>Nothing: they are lost until the process ends. The fastest.</summary>
        Off
    }

    /// <summary>Whether a stretch of a pool's memory is handed out.</summary>
    public enum StretchState
    {
        /// <summary>Handed out.</summary>
        Active = Native.CLPOOL_STRETCH_ACTIVE,
        /// <summary>Free.</summary>
        Free = Native.CLPOOL_STRETCH_FREE,
        /// <summary>Released, and kept for the next request of the same size.</summary>
        Cached = Native.CLPOOL_STRETCH_CACHED,
        /// <summary>Released, but still in use by queues.</summary>
        Pending = Native.CLPOOL_STRETCH_PENDING
    }

    /// <summary>Where an answer about a device comes from.</summary>
    public enum AnswerSource
    {
        /// <summary>There is no answer.</summary>
        None = Native.CLPOOL_SOURCE_NONE,
        /// <summary>The device was asked.</summary>
        Query = Native.CLPOOL_SOURCE_QUERY,
        /// <summary>A kernel was built and the driver asked about it.</summary>
        KernelQuery = Native.CLPOOL_SOURCE_KERNEL_QUERY,
        /// <summary>What is published of such devices.</summary>
        Table = Native.CLPOOL_SOURCE_TABLE,
        /// <summary>Nothing is known: a cautious figure.</summary>
        Guess = Native.CLPOOL_SOURCE_GUESS,
        /// <summary>The device has no such thing.</summary>
        NotApplicable = Native.CLPOOL_SOURCE_NOT_APPLICABLE
    }

    /// <summary>Whose rules answer.</summary>
    public enum Model
    {
        /// <summary>Today's.</summary>
        Current = Native.CLPOOL_MODEL_CURRENT,
        /// <summary>PyOpenCL's, and PyCUDA's where PyOpenCL has no such question (occupancy, device data).</summary>
        PyOpenCl = Native.CLPOOL_MODEL_PYOPENCL,
        /// <summary>PyCUDA 2014.1's.</summary>
        PyCuda2014 = Native.CLPOOL_MODEL_PYCUDA_2014
    }

    /// <summary>Kinds of shared virtual memory that a device can have.</summary>
    public enum SvmKind
    {
        /// <summary>Coarse grain.</summary>
        CoarseBuffer = Native.CLPOOL_SVM_COARSE_BUFFER,
        /// <summary>Fine grain.</summary>
        FineBuffer = Native.CLPOOL_SVM_FINE_BUFFER,
        /// <summary>All of the host's memory.</summary>
        FineSystem = Native.CLPOOL_SVM_FINE_SYSTEM,
        /// <summary>Fine grain, with atomics.</summary>
        FineBufferAtomics = Native.CLPOOL_SVM_FINE_BUFFER_ATOMICS,
        /// <summary>All of the host's memory, with atomics.</summary>
        FineSystemAtomics = Native.CLPOOL_SVM_FINE_SYSTEM_ATOMICS
    }

    /// <summary>Whether the driver counts the members of a struct argument as arguments.</summary>
    public enum StructArgumentBug
    {
        /// <summary>It does not.</summary>
        None = Native.CLPOOL_STRUCT_ARGUMENT_BUG_NONE,
        /// <summary>As Apple's CPU driver did.</summary>
        Apple = Native.CLPOOL_STRUCT_ARGUMENT_BUG_APPLE,
        /// <summary>As PoCL 0.13 and older did.</summary>
        Pocl = Native.CLPOOL_STRUCT_ARGUMENT_BUG_POCL
    }

    /// <summary>Who made a device.</summary>
    public enum DeviceVendor
    {
        /// <summary>Someone else.</summary>
        Generic = Native.CLPOOL_DEVICE_VENDOR_GENERIC,
        /// <summary>NVIDIA.</summary>
        Nvidia = Native.CLPOOL_DEVICE_VENDOR_NVIDIA,
        /// <summary>AMD.</summary>
        Amd = Native.CLPOOL_DEVICE_VENDOR_AMD,
        /// <summary>Intel.</summary>
        Intel = Native.CLPOOL_DEVICE_VENDOR_INTEL
    }

    /// <summary>What registers are given to.</summary>
    public enum RegisterAllocation
    {
        /// <summary>To each warp.</summary>
        ByWarp = Native.CLPOOL_REGISTERS_BY_WARP,
        /// <summary>To the whole group.</summary>
        ByGroup = Native.CLPOOL_REGISTERS_BY_GROUP
    }

    /// <summary>What limits the number of groups on a multiprocessor.</summary>
    [Flags]
    public enum LimitingFactors
    {
        /// <summary>Nothing.</summary>
        None = 0,
        /// <summary>Warps.</summary>
        Warps = Native.CLPOOL_LIMITED_BY_WARPS,
        /// <summary>Registers.</summary>
        Registers = Native.CLPOOL_LIMITED_BY_REGISTERS,
        /// <summary>Local memory.</summary>
        LocalMemory = Native.CLPOOL_LIMITED_BY_LOCAL_MEMORY,
        /// <summary>Groups.</summary>
        Groups = Native.CLPOOL_LIMITED_BY_GROUPS,
        /// <summary>Named barriers.</summary>
        Barriers = Native.CLPOOL_LIMITED_BY_BARRIERS
    }

    /// <summary>What an event of an allocation log is.</summary>
    public enum LogAction
    {
        /// <summary>A block was allocated.</summary>
        Allocate = Native.CLPOOL_TRACE_ALLOCATE,
        /// <summary>A block was released.</summary>
        Release = Native.CLPOOL_TRACE_RELEASE,
        /// <summary>An allocation failed.</summary>
        AllocateFailure = Native.CLPOOL_TRACE_ALLOCATE_FAILURE
    }

    /// <summary>What kind of object a cached result belongs to.</summary>
    public enum CacheOwner
    {
        /// <summary>None: any value, not held.</summary>
        Any = Native.CLPOOL_MEMO_ANY,
        /// <summary>A cl_context.</summary>
        Context = Native.CLPOOL_MEMO_CONTEXT,
        /// <summary>A cl_device_id.</summary>
        Device = Native.CLPOOL_MEMO_DEVICE,
        /// <summary>A cl_command_queue.</summary>
        Queue = Native.CLPOOL_MEMO_QUEUE,
        /// <summary>A pool of ours.</summary>
        Pool = Native.CLPOOL_MEMO_POOL
    }

    /// <summary>Types of numbers in an array for an image.</summary>
    public enum ElementType
    {
        /// <summary>8 bits, signed.</summary>
        Int8 = Native.CLPOOL_ELEMENT_INT8,
        /// <summary>8 bits.</summary>
        UInt8 = Native.CLPOOL_ELEMENT_UINT8,
        /// <summary>16 bits, signed.</summary>
        Int16 = Native.CLPOOL_ELEMENT_INT16,
        /// <summary>16 bits.</summary>
        UInt16 = Native.CLPOOL_ELEMENT_UINT16,
        /// <summary>32 bits, signed.</summary>
        Int32 = Native.CLPOOL_ELEMENT_INT32,
        /// <summary>32 bits.</summary>
        UInt32 = Native.CLPOOL_ELEMENT_UINT32,
        /// <summary>Half.</summary>
        Float16 = Native.CLPOOL_ELEMENT_FLOAT16,
        /// <summary>Float.</summary>
        Float32 = Native.CLPOOL_ELEMENT_FLOAT32
    }
}
