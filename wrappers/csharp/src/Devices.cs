// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Choosing a device, by preference or as the environment says.
using System;
using ClPool.Interop;

namespace ClPool
{
    /// <summary>Devices, as cl_device_id. No reference is added.</summary>
    public static unsafe class Devices
    {
        private delegate int Asker(clpool_device_options* options);

        private delegate int Lister(IntPtr* devices, ulong capacity, ulong* count);

        /// <summary>Chooses a device.</summary>
        /// <exception cref="ClPoolException">NotFound if nothing matches, BadFormat if a selector is malformed</exception>
        public static IntPtr Choose(DeviceOptions? options = null)
        {
            IntPtr device;
            IntPtr* result = &device;
            Errors.Check(WithOptions(options, native => Native.clpool_device_choose(native, result)));
            return device;
        }

        /// <summary>Lists all devices that <see cref="Choose"/> would consider, the chosen one first.</summary>
        public static IntPtr[] List(DeviceOptions? options = null)
        {
            return Collect((devices, capacity, count) =>
                WithOptions(options, native => Native.clpool_device_list(native, devices, capacity, count)));
        }

        /// <summary>Lists the devices that tests are to run on: those that CLPOOL_TEST or PYOPENCL_TEST names, or all.</summary>
        public static IntPtr[] ListForTests()
        {
            return Collect((devices, capacity, count) =>
                KeepingSignals(() => Native.clpool_device_list_for_tests(devices, capacity, count)));
        }

        /// <summary>Names a device for people: "name [platform]".</summary>
        public static string Describe(IntPtr device)
        {
            return Utf8.Ask((text, capacity, needed) => Native.clpool_device_describe(device, text, capacity, needed));
        }

        /// <summary>What a device is called and has, as its driver tells at this moment; what the driver does not answer is 0
        /// or "".</summary>
        public static DeviceFacts Facts(IntPtr device)
        {
            clpool_device_facts native = clpool_device_facts.Initial();
            Errors.Check(Native.clpool_device_read_facts(device, &native));
            return new DeviceFacts(native);
        }

        internal static int CreateContext(DeviceOptions? options, IntPtr* device, IntPtr* context, IntPtr* queue)
        {
            return WithOptions(options, native => Native.clpool_context_create_default(native, device, context, queue));
        }

        private static int WithOptions(DeviceOptions? options, Asker ask)
        {
            if (options == null) return KeepingSignals(() => ask(null));
            fixed (byte* selector = Utf8.Bytes(options.Selector, "Selector"))
            {
                clpool_device_options native = options.ToNative();
                native.selector = selector;
                clpool_device_options* given = &native;
                return KeepingSignals(() => ask(given));
            }
        }

        // Calls that load drivers, which may take the runtime's signals.
        private static int KeepingSignals(Func<int> call)
        {
            Native.csharp_signals_keep();
            try
            {
                return call();
            }
            finally
            {
                Native.csharp_signals_put_back();
            }
        }

        private static IntPtr[] Collect(Lister list)
        {
            ulong count = 0;
            Errors.Check(list(null, 0, &count));
            while (true)
            {
                IntPtr[] devices = new IntPtr[count];
                fixed (IntPtr* room = devices) Errors.Check(list(room, (ulong)devices.Length, &count));
                if (count <= (ulong)devices.Length)
                {
                    Array.Resize(ref devices, Arguments.Int32(count, "devices"));
                    return devices;
                }
            }
        }
    }
}
