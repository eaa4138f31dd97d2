// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Speed of a device.
using ClPool.Interop;

namespace ClPool
{
    /// <summary>Speed of a device: medians.</summary>
    public sealed class DevicePerformance
    {
        private readonly clpool_performance native;

        internal DevicePerformance(clpool_performance native) { this.native = native; }

        /// <summary>Nanoseconds of a blocking write of one byte.</summary>
        public long WriteLatencyNs { get { return (long)native.write_latency_ns; } }
        /// <summary>Nanoseconds of a blocking read of one byte.</summary>
        public long ReadLatencyNs { get { return (long)native.read_latency_ns; } }
        /// <summary>Nanoseconds of a copy of one byte on the device, waited for.</summary>
        public long CopyLatencyNs { get { return (long)native.copy_latency_ns; } }
        /// <summary>Bytes per second from host to device.</summary>
        public long WriteBandwidth { get { return (long)native.write_bandwidth; } }
        /// <summary>Bytes per second from device to host.</summary>
        public long ReadBandwidth { get { return (long)native.read_bandwidth; } }
        /// <summary>Bytes per second copied on the device (each byte read and written once counts once).</summary>
        public long CopyBandwidth { get { return (long)native.copy_bandwidth; } }
        /// <summary>Nanoseconds of an empty kernel of one work item: enqueued many times, waited for once.</summary>
        public long EmptyKernelNs { get { return (long)native.empty_kernel_ns; } }
        /// <summary>Nanoseconds of an empty kernel that is waited for.</summary>
        public long KernelRoundTripNs { get { return (long)native.kernel_round_trip_ns; } }
        /// <summary>Nanoseconds that a queue with profiling adds to an empty kernel; negative where the noise is greater.</summary>
        public long ProfilingOverheadNs { get { return (long)native.profiling_overhead_ns; } }
        /// <summary>Bytes of the transfers behind the bandwidths.</summary>
        public long TransferBytes { get { return (long)native.transfer_bytes; } }

        /// <inheritdoc/>
        public override string ToString() { return Figures.Describe(this); }
    }
}
