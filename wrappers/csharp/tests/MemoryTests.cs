// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Buffers, parts, transfers, maps, SVM, images, samplers, pipes.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using NUnit.Framework;

namespace ClPool.Tests
{
    [TestFixture]
    public class MemoryTests
    {
        [Test]
        public void NothingIsCutShort()
        {
            int[] numbers = new int[1000];
            for (int i = 0; i < numbers.Length; i++) numbers[i] = i + 1;
            using (ImmediateAllocator allocator = new ImmediateAllocator(Shared.Queue))
            using (MemoryPool pool = new MemoryPool(allocator))
            using (DeviceBuffer direct = DeviceBuffer.CopyOf(Shared.Context, new[] { -1, -2, -3, -4 }))
            using (PooledBuffer pooled = pool.Allocate(16))
            using (PooledBuffer large = pool.Allocate(4000))
            {
                foreach (MemoryObject small in new MemoryObject[] { direct, pooled })
                {
                    ArgumentException thrown = Assert.Throws<ClPoolArgumentException>(() => small.Write(Shared.Queue, numbers));
                    Assert.IsTrue(thrown.Message.Contains("4000") && thrown.Message.Contains("16"), thrown.Message);
                    int[] read = new int[1000];
                    Assert.Throws<ClPoolArgumentException>(() => small.Read(Shared.Queue, read));
                    Assert.AreEqual(0, read[0]);
                    Assert.Throws<ClPoolArgumentException>(() => large.CopyTo(Shared.Queue, small));
                    Assert.Throws<ClPoolArgumentException>(() => small.Write(Shared.Queue, new int[4], 4));
                    small.Write(Shared.Queue, new[] { 7 }, 12);
                    small.CopyTo(Shared.Queue, large).Wait();
                }
                Assert.Throws<ArgumentOutOfRangeException>(() => direct.CopyTo(Shared.Queue, large, MemoryObject.WholeSize, 17));
                int[] four = new int[4];
                direct.Read(Shared.Queue, four);
                Assert.AreEqual(new[] { -1, -2, -3, 7 }, four);
            }
        }

        [Test]
        public void BuffersAreWrittenReadCopiedAndFilled()
        {
            int[] numbers = { 1, 2, 3, 4 }, read = new int[4];
            using (DeviceBuffer first = DeviceBuffer.CopyOf(Shared.Context, numbers))
            using (DeviceBuffer second = DeviceBuffer.Create(Shared.Context, 16))
            {
                using (ClEvent copied = first.CopyTo(Shared.Queue, second)) second.Read(Shared.Queue, read, 0, MemoryObject.WholeSize, new[] { copied });
                Assert.AreEqual(numbers, read);
                second.Fill(Shared.Queue, new[] { 7 }, 4, 8).Wait();
                second.Read(Shared.Queue, read);
                Assert.AreEqual(new[] { 1, 7, 7, 4 }, read);
                second.Write(Shared.Queue, new[] { 9 }, 12);
                int[] one = new int[1];
                second.Read(Shared.Queue, one, 12);
                Assert.AreEqual(9, one[0]);
                Assert.Throws<ClPoolArgumentException>(() => second.Write(Shared.Queue, numbers, 4, 16));
                MemoryObject.Migrate(Shared.Queue, new MemoryObject[] { first, second }).Wait();
                Assert.IsFalse(first.IsSameMemory(second));
                Assert.IsTrue(first.IsSameMemory(first));
                Assert.AreEqual(Shared.Context.Context, first.Context);
            }
        }

        [Test]
        public void ArraysMayBeOfAnyTypeWithoutReferences()
        {
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
            {
                Pair[] pairs = { new Pair { First = 1, Second = true }, new Pair { First = 2 } }, back = new Pair[2];
                buffer.Write(Shared.Queue, pairs);
                buffer.Read(Shared.Queue, back);
                Assert.AreEqual(pairs, back);
                IntPtr[] pointers = new IntPtr[2];
                buffer.Fill(Shared.Queue, new[] { new IntPtr(5) }).Wait();
                buffer.Read(Shared.Queue, pointers);
                Assert.AreEqual(new IntPtr(5), pointers[1]);
                buffer.Write(Shared.Queue, new[] { 7m });
                buffer.Write(Shared.Queue, new[] { DayOfWeek.Friday });
                int[,] rows = new int[2, 2];
                buffer.Read(Shared.Queue, rows);
                Assert.AreEqual((int)DayOfWeek.Friday, rows[0, 0]);
#if NET
                Half[] halves = new Half[32];
                buffer.Fill(Shared.Queue, new[] { (Half)1.5 }).Wait();
                buffer.Read(Shared.Queue, halves);
                Assert.AreEqual((Half)1.5, halves[31]);
#endif
                foreach (Array refused in new Array[] { new string[1], new object[1], new int[1][], new KeyValuePair<int, string>[1] })
                {
                    ArgumentException thrown = Assert.Throws<ArgumentException>(() => buffer.Write(Shared.Queue, refused));
                    Assert.IsTrue(thrown.Message.Contains(refused.GetType().ToString()), thrown.Message);
                    Assert.AreEqual("source", thrown.ParamName);
                }
            }
        }

        private struct Pair
        {
            internal int First;
            internal bool Second;
        }

        [Test]
        public void EmptyArraysAreNothingToMoveAndNoPattern()
        {
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
            {
                buffer.Write(Shared.Queue, new int[0]);
                buffer.Read(Shared.Queue, new byte[0], 64);
                Exception refused = Assert.Throws<ClPoolArgumentException>(() => buffer.Fill(Shared.Queue, new byte[0]));
                Assert.IsTrue(refused.Message.Contains("0 bytes"), refused.Message);
                refused = Assert.Throws<ClPoolArgumentException>(() => DeviceBuffer.CopyOf(Shared.Context, new byte[0]));
                Assert.IsTrue(refused.Message.Contains("size is 0"), refused.Message);
            }
        }

        [Test]
        public void TransfersWithPointersNeedNotWait()
        {
            IntPtr host = Marshal.AllocHGlobal(64);
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
            {
                Marshal.WriteInt32(host, 1234);
                buffer.WriteAsync(Shared.Queue, host, 64).Wait();
                Marshal.WriteInt32(host, 0);
                buffer.ReadAsync(Shared.Queue, host, 64).Wait();
                Assert.AreEqual(1234, Marshal.ReadInt32(host));
                buffer.Write(Shared.Queue, host, 64);
                buffer.Read(Shared.Queue, host, 64);
            }
            Marshal.FreeHGlobal(host);
        }

        [Test]
        public void BoxesAreMoved()
        {
            byte[] picture = Enumerable.Range(0, 64).Select(i => (byte)i).ToArray(), read = new byte[4];
            Box box = new Box(2, 2) { SourceOrigin = new long[] { 1, 1 }, SourceRowPitch = 8 };
            using (DeviceBuffer buffer = DeviceBuffer.CopyOf(Shared.Context, picture))
            using (DeviceBuffer target = DeviceBuffer.Create(Shared.Context, 4))
            {
                buffer.ReadBox(Shared.Queue, box, read);
                Assert.AreEqual(new byte[] { 9, 10, 17, 18 }, read);
                buffer.CopyBoxTo(Shared.Queue, target, box).Wait();
                target.Read(Shared.Queue, read);
                Assert.AreEqual(new byte[] { 9, 10, 17, 18 }, read);
                target.WriteBox(Shared.Queue, new Box(2, 1), new byte[] { 5, 6 });
                target.Read(Shared.Queue, read);
                Assert.AreEqual(new byte[] { 5, 6, 17, 18 }, read);
                IntPtr host = Marshal.AllocHGlobal(4);
                buffer.ReadBoxAsync(Shared.Queue, box, host, 4).Wait();
                target.WriteBoxAsync(Shared.Queue, new Box(4), host, 4).Wait();
                target.Read(Shared.Queue, read);
                Assert.AreEqual(new byte[] { 9, 10, 17, 18 }, read);
                target.ReadBox(Shared.Queue, new Box(2) { SourceOrigin = new long[] { 2 } }, host, 2);
                target.WriteBox(Shared.Queue, new Box(2), host, 2);
                target.Read(Shared.Queue, read);
                Assert.AreEqual(new byte[] { 17, 18, 17, 18 }, read);
                Assert.Throws<ClPoolArgumentException>(() => buffer.ReadBoxAsync(Shared.Queue, box, host, 3));
                Marshal.FreeHGlobal(host);
                Assert.AreEqual("target", Assert.Throws<ArgumentNullException>(() => buffer.ReadBox(Shared.Queue, box, null)).ParamName);
#if NET
                target.WriteBox<byte>(Shared.Queue, new Box(2), stackalloc byte[] { 1, 2 });
                Span<byte> span = stackalloc byte[2];
                target.ReadBox(Shared.Queue, new Box(2), span);
                Assert.AreEqual(new byte[] { 1, 2 }, span.ToArray());
#endif
            }
        }

        [Test]
        public void MapsShowTheMemory()
        {
            int[] numbers = { 1, 2, 3, 4 }, read = new int[2];
            using (DeviceBuffer buffer = DeviceBuffer.CopyOf(Shared.Context, numbers))
            {
                MemoryMap map = buffer.Map(Shared.Queue, MapFlags.ReadWrite, 4, 8);
                Assert.AreEqual(8, map.Size);
                Assert.AreSame(buffer, map.Memory);
                map.CopyTo(read);
                Assert.AreEqual(new[] { 2, 3 }, read);
                map.CopyFrom(new[] { 8 }, 4);
                map.Unmap().Wait();
                map.Unmap().Dispose();
                Assert.AreEqual(IntPtr.Zero, map.Pointer);
                Assert.AreEqual("this map was unmapped", Assert.Throws<ClPoolInvalidOperationException>(() => map.CopyTo(read)).Message);
#if NET
                Assert.AreEqual("this map was unmapped", Assert.Throws<ClPoolInvalidOperationException>(() => map.AsSpan<int>()).Message);
#endif
                map.Dispose();
                map.Dispose();
                Assert.Throws<ObjectDisposedException>(() => map.Unmap());
                buffer.Read(Shared.Queue, numbers);
                Assert.AreEqual(new[] { 1, 2, 8, 4 }, numbers);
                ClEvent mapped;
                using (buffer.MapAsync(Shared.Queue, out mapped)) mapped.Wait();
            }
        }

        [Test]
        public void AMapForReadingIsNotWritten()
        {
            using (DeviceBuffer buffer = DeviceBuffer.CopyOf(Shared.Context, new byte[] { 1, 2, 3, 4 }))
            {
                byte[] read = new byte[4];
                using (MemoryMap map = buffer.Map(Shared.Queue, MapFlags.Read))
                {
                    Assert.IsTrue(map.IsReadOnly);
                    Assert.IsTrue(Assert.Throws<ClPoolInvalidOperationException>(() => map.CopyFrom(new byte[4])).Message.Contains("for reading alone"));
#if NET
                    Assert.IsTrue(Assert.Throws<ClPoolInvalidOperationException>(() => map.AsSpan<byte>()).Message.Contains("AsReadOnlySpan"));
                    Assert.Throws<ClPoolInvalidOperationException>(() => map.AsSpan<byte>(1, 2));
                    Assert.AreEqual(4, map.AsReadOnlySpan<byte>()[3]);
                    Assert.AreEqual(2, map.AsReadOnlySpan<short>(0, 4).Length);
                    Assert.Throws<ArgumentOutOfRangeException>(() => map.AsReadOnlySpan<byte>(1, 4));
#endif
                    map.CopyTo(read);
                }
                Assert.AreEqual(new byte[] { 1, 2, 3, 4 }, read);
                foreach (MapFlags flags in new[] { MapFlags.ReadWrite, MapFlags.Write, MapFlags.WriteInvalidateRegion })
                    using (MemoryMap map = buffer.Map(Shared.Queue, flags))
                    {
                        Assert.IsFalse(map.IsReadOnly);
                        map.CopyFrom(read);
#if NET
                        Assert.AreEqual(4, map.AsSpan<byte>().Length);
#endif
                    }
                ClEvent mapped;
                using (MemoryMap map = buffer.MapAsync(Shared.Queue, out mapped, MapFlags.Read)) Assert.IsTrue(map.IsReadOnly);
            }
        }

        [Test]
        public void AMapKeepsItsMemory()
        {
            DeviceBuffer buffer = DeviceBuffer.CopyOf(Shared.Context, new byte[] { 1, 2, 3 });
            MemoryMap map = buffer.Map(Shared.Queue, MapFlags.Read);
            buffer.Dispose();
            byte[] read = new byte[3];
            map.CopyTo(read);
            Assert.AreEqual(3, read[2]);
            map.Dispose();
        }

        [Test]
        public void PartsAndRootsAndQuestions()
        {
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 1 << 20))
            using (SubRegion part = buffer.SubRegion(1 << 16, 4096))
            using (SubRegion inner = part.SubRegion(1024))
            {
                long offset;
                Assert.AreEqual(buffer.Handle, inner.Root(out offset));
                Assert.AreEqual((1 << 16) + 1024, offset);
                Assert.AreSame(part, inner.Parent);
                Assert.AreEqual(MemoryKind.SubRegion, part.Kind);
                Assert.AreEqual(1 << 20, buffer.InfoNumber(MemInfo.Size));
                Assert.AreEqual(1 << 20, BitConverter.ToInt64(buffer.InfoBytes(MemInfo.Size), 0));
                Assert.Throws<ClPoolInvalidOperationException>(() => { long size; buffer.HostMemoryOf(out size); });
                using (MemoryObject wrapped = MemoryObject.FromHandle(buffer.Handle))
                {
                    Assert.IsTrue(wrapped is DeviceBuffer);
                    Assert.IsTrue(wrapped.IsSameMemory(buffer));
                }
            }
        }

        [Test]
        public void BuffersOverHostMemoryTellIt()
        {
            IntPtr host = Marshal.AllocHGlobal(4096 + 128);
            IntPtr aligned = new IntPtr((host.ToInt64() + 127) & ~127L);
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, MemFlags.UseHostPtr, 4096, aligned, 4096))
            {
                long size;
                Assert.AreEqual(aligned, buffer.HostMemoryOf(out size));
                Assert.AreEqual(4096, size);
            }
            Marshal.FreeHGlobal(host);
        }

        [Test]
        public void SvmIsSharedWithTheHost()
        {
            Shared.NeedsSvm();
            using (SvmMemory svm = SvmMemory.Create(Shared.Context, 4096, MemFlags.ReadWrite, 64))
            {
                svm.Fill(Shared.Queue, new byte[] { 3 }).Wait();
                using (MemoryMap map = svm.Map(Shared.Queue))
                {
                    byte[] read = new byte[4096];
                    map.CopyTo(read);
                    Assert.IsTrue(read.All(value => value == 3));
                }
                using (SvmMemory described = SvmMemory.Wrap(Shared.Context, svm.Pointer, 4096)) Assert.AreEqual(4096, described.Size);
                using (DeviceBuffer buffer = svm.AsBuffer()) Assert.AreEqual(4096, buffer.Size);
                svm.BindQueue(Shared.Queue);
                svm.UnbindQueue();
            }
            Assert.AreEqual(16, SvmMemory.AlignmentFor(12));
            SvmMemory released = SvmMemory.Create(Shared.Context, 64);
            Assert.Throws<ClPoolArgumentException>(() => released.ReleaseOn());
            Assert.AreEqual(64, released.Size);
            released.ReleaseOn(Shared.Queue).Wait();
            Assert.IsTrue(released.IsDisposed);
            Assert.IsNull(SvmMemory.Create(Shared.Context, 0));
        }

        [Test]
        public void BlocksOfAPoolGoBackBehindAQueue()
        {
            using (Allocator allocator = new DeferredAllocator(Shared.Context))
            using (MemoryPool pool = new MemoryPool(allocator))
            {
                PooledBuffer block = pool.Allocate(4096);
                block.BindQueue(Shared.Queue);
                block.UnbindQueue();
                Assert.Throws<ClPoolArgumentException>(() => block.ReleaseOn());
                block.ReleaseOn(Shared.Queue).Wait();
                Assert.IsTrue(block.IsDisposed);
                Assert.AreEqual(0, pool.ActiveBytes);
            }
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
                Assert.Throws<ClPoolInvalidOperationException>(() => buffer.BindQueue(Shared.Queue)); // of no pool
        }

        [Test]
        public void ThreadsThatUnmapAtOnceUnmapOnce()
        {
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 1 << 16))
            using (Barrier start = new Barrier(2))
            {
                List<string> failures = new List<string>();
                for (int i = 0; i < Shared.Rounds(200); i++)
                {
                    using (MemoryMap map = buffer.Map(Shared.Queue))
                    {
                        ThreadStart unmap = () =>
                        {
                            start.SignalAndWait();
                            try
                            {
                                map.Unmap().Wait();
                            }
                            catch (Exception exception)
                            {
                                lock (failures) failures.Add(exception.ToString());
                            }
                        };
                        Thread other = new Thread(unmap);
                        other.Start();
                        unmap();
                        other.Join();
                    }
                }
                Assert.AreEqual("", string.Join("\n", failures));
            }
        }

        [Test]
        public void ImagesOfEveryShape()
        {
            ImageFormat format = new ImageFormat(ChannelOrder.RGBA, ChannelType.UnsignedInt8);
            Assert.AreEqual(4, format.ChannelCount);
            Assert.AreEqual(1, format.ChannelSize);
            Assert.AreEqual(4, format.ItemSize);
            Assert.AreEqual("CL_RGBA CL_UNSIGNED_INT8", format.ToString());
            if (!ImageFormat.Supported(Shared.Context, MemFlags.ReadWrite, ImageType.Image2D).Contains(format))
                Assert.Ignore("no images of " + format);
            using (DeviceImage image = DeviceImage.Create(Shared.Context, new ImageOptions { Format = format, Shape = new long[] { 4, 2 } }))
            using (DeviceImage other = DeviceImage.Create(Shared.Context, new ImageOptions { Format = format, Shape = new long[] { 4, 2 } }))
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 32))
            {
                Assert.AreEqual(new long[] { 4, 2 }, image.Shape);
                Assert.AreEqual(format, image.Format);
                byte[] pixels = Enumerable.Range(0, 32).Select(i => (byte)i).ToArray(), read = new byte[32];
                image.Write(Shared.Queue, pixels);
                image.Read(Shared.Queue, read);
                Assert.AreEqual(pixels, read);
                image.CopyTo(Shared.Queue, other).Wait();
                other.CopyToBuffer(Shared.Queue, buffer).Wait();
                buffer.Read(Shared.Queue, read);
                Assert.AreEqual(pixels, read);
                image.Fill(Shared.Queue, new uint[] { 1, 2, 3, 4 }, null, new long[] { 1, 1 }).Wait();
                image.CopyFromBuffer(Shared.Queue, buffer, 4, new long[] { 1 }, new long[] { 1 }).Wait();
                using (MemoryMap map = image.Map(Shared.Queue, MapFlags.Read))
                {
                    Assert.GreaterOrEqual(map.RowPitch, 16);
                    Assert.AreEqual(0, map.SlicePitch);
                    byte[] row = new byte[8];
                    map.CopyTo(row);
                    Assert.AreEqual(new byte[] { 1, 2, 3, 4, 4, 5, 6, 7 }, row);
                }
                Assert.AreEqual(4, image.InfoNumber(MemInfo.ImageElementSize));
                Assert.AreEqual(8, image.InfoBytes(MemInfo.ImageWidth).Length);
                Assert.Throws<ClPoolArgumentException>(() => image.Read(Shared.Queue, new byte[4]));
                Assert.AreEqual("target", Assert.Throws<ArgumentNullException>(() => image.Read(Shared.Queue, null)).ParamName);
                ImagesAndHostMemory(image, pixels);
            }
            using (DeviceImage image = DeviceImage.FromArray(Shared.Context, new float[6], ElementType.Float32, new long[] { 2, 3 }))
                Assert.AreEqual(new long[] { 3, 2 }, image.Shape);
        }

        private static void ImagesAndHostMemory(DeviceImage image, byte[] pixels)
        {
            IntPtr host = Marshal.AllocHGlobal(32);
            byte[] read = new byte[32];
            long[] second = { 1, 1 }, one = { 1, 1 };
            Marshal.Copy(pixels, 0, host, 32);
            image.WriteAsync(Shared.Queue, host, 32).Wait();
            image.Read(Shared.Queue, read);
            Assert.AreEqual(pixels, read);
            Marshal.Copy(new byte[32], 0, host, 32);
            image.ReadAsync(Shared.Queue, host, 32).Wait();
            Marshal.Copy(host, read, 0, 32);
            Assert.AreEqual(pixels, read);
            image.Read(Shared.Queue, host, 4, second, one);
            Assert.AreEqual(20, Marshal.ReadByte(host));
            image.Write(Shared.Queue, host, 4, null, one);
            image.Read(Shared.Queue, read, null, one);
            Assert.AreEqual(20, read[0]);
            Assert.Throws<ClPoolArgumentException>(() => image.ReadAsync(Shared.Queue, host, 4));
            Marshal.FreeHGlobal(host);
            ClEvent mapped;
            using (MemoryMap map = image.MapAsync(Shared.Queue, out mapped, MapFlags.Read, second, one))
            {
                mapped.Wait();
                byte[] pixel = new byte[4];
                map.CopyTo(pixel);
                Assert.AreEqual(new byte[] { 20, 21, 22, 23 }, pixel);
            }
            using (MemoryMap map = image.Map(Shared.Queue)) Assert.IsFalse(map.IsReadOnly);
            image.Fill(Shared.Queue, new uint[] { 7, 7, 7, 7 }).Wait();
            image.Read(Shared.Queue, read);
            Assert.AreEqual(7, read[31]);
#if NET
            image.Write<byte>(Shared.Queue, stackalloc byte[] { 1, 2, 3, 4 }, second, one);
            Span<byte> span = stackalloc byte[4];
            image.Read(Shared.Queue, span, second, one);
            Assert.AreEqual(new byte[] { 1, 2, 3, 4 }, span.ToArray());
#endif
        }

        [Test]
        public void SamplersInBothForms()
        {
            Sampler sampler = new Sampler(Shared.Context, false, AddressingMode.ClampToEdge, FilterMode.Nearest);
            Assert.AreNotEqual(IntPtr.Zero, sampler.Handle);
            sampler.Dispose();
            Assert.Throws<ObjectDisposedException>(() => { IntPtr handle = sampler.Handle; });
            Dictionary<long, long> properties = new Dictionary<long, long> { { 0x1152, 0 }, { 0x1153, (long)AddressingMode.Clamp } };
            using (Sampler second = new Sampler(Shared.Context, properties)) Assert.AreNotEqual(IntPtr.Zero, second.Handle);
            properties = new Dictionary<long, long> { { 0, 7 }, { 0x1152, 0 } }; // where OpenCL would take the list to end
            Assert.AreEqual("properties", Assert.Throws<ArgumentException>(() => new Sampler(Shared.Context, properties)).ParamName);
        }

        [Test]
        public void PipesWhereThereAreAny()
        {
            try
            {
                using (DevicePipe pipe = DevicePipe.Create(Shared.Context, 16, 32))
                    Assert.AreEqual(16, pipe.InfoNumber(MemInfo.PipePacketSize));
            }
            catch (ClPoolNotSupportedException exception)
            {
                Assert.Ignore(exception.Message);
            }
        }

        [Test]
        public void PeerCopiesNeedTheExtension()
        {
            using (DeviceBuffer first = DeviceBuffer.Create(Shared.Context, 64))
            using (DeviceBuffer second = DeviceBuffer.Create(Shared.Context, 64))
            {
                try
                {
                    first.CopyToPeer(Shared.Queue, second).Wait();
                }
                catch (ClPoolNotSupportedException exception)
                {
                    Assert.IsTrue(exception.Message.Contains("cl_amd_copy_buffer_p2p"), exception.Message);
                }
            }
        }

        [Test]
        public void EventsFromElsewhere()
        {
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
            using (ClEvent filled = buffer.Fill(Shared.Queue, new byte[] { 1 }))
            using (ClEvent same = ClEvent.FromHandle(filled.Handle))
            {
                same.Wait();
                same.Dispose();
                Assert.Throws<ObjectDisposedException>(() => same.Wait());
                filled.Wait();
            }
        }

#if NET
        [Test]
        public void SpansShowHostMemory()
        {
            using (PinnedAllocator pinned = new PinnedAllocator(Shared.Queue))
            using (MemoryObject memory = pinned.Allocate(64))
            using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
            {
                memory.AsSpan<int>().Fill(5);
                buffer.Write(Shared.Queue, (ReadOnlySpan<int>)memory.AsSpan<int>());
                int[] read = new int[16];
                buffer.Read(Shared.Queue, read.AsSpan());
                Assert.IsTrue(read.All(value => value == 5));
                Assert.AreEqual(2, memory.AsSpan<long>(16, 16).Length);
                using (MemoryMap map = buffer.Map(Shared.Queue)) Assert.AreEqual(5, map.AsSpan<int>()[15]);
                Assert.Throws<ArgumentOutOfRangeException>(() => memory.AsSpan<byte>(0, 65));
                Assert.Throws<ArgumentException>(() => memory.AsSpan<long>(0, 63));
                Assert.Throws<ClPoolInvalidOperationException>(() => buffer.AsSpan<byte>());
            }
        }

        [Test]
        public void HostMemoryIsAnOwnerOfDotNets()
        {
            using (PinnedAllocator pinned = new PinnedAllocator(Shared.Queue))
            using (PageLockedMemoryPool pool = new PageLockedMemoryPool(pinned))
            {
                System.Buffers.IMemoryOwner<byte> owner = pool.Allocate(100).ToMemoryOwner();
                Memory<byte> bytes = owner.Memory;
                Assert.AreEqual(100, bytes.Length);
                bytes.Span.Fill(7);
                using (System.Buffers.MemoryHandle pin = bytes.Slice(10).Pin())
                    unsafe { Assert.AreEqual(7, ((byte*)pin.Pointer)[89]); }
                Assert.AreEqual(1, pool.ActiveBlocks);
                owner.Dispose();
                owner.Dispose();
                Assert.AreEqual(0, pool.ActiveBlocks);
                Assert.Throws<ObjectDisposedException>(() => bytes.Span.Clear());
                using (DeviceBuffer buffer = DeviceBuffer.Create(Shared.Context, 64))
                    Assert.Throws<ClPoolInvalidOperationException>(() => buffer.ToMemoryOwner());
            }
        }

        [Test]
        public void AnOwnerThatWasDisposedOfHasNothingOfTheBlockThatIsInTheObjectSince()
        {
            using (PinnedAllocator pinned = new PinnedAllocator(Shared.Queue))
            using (PageLockedMemoryPool pool = new PageLockedMemoryPool(pinned))
            {
                PooledHostMemory block = pool.Allocate(100);
                System.Buffers.IMemoryOwner<byte> owner = block.ToMemoryOwner();
                Assert.IsTrue(block.IsDisposed);
                Memory<byte> bytes = owner.Memory;
                pool.Allocate(100, block);
                Assert.AreEqual(2, pool.ActiveBlocks);
                System.Buffers.MemoryHandle pin = bytes.Pin();
                owner.Dispose();
                owner.Dispose();
                Assert.IsFalse(block.IsDisposed);
                Assert.Throws<ObjectDisposedException>(() => bytes.Span.Clear());
                Assert.Throws<ObjectDisposedException>(() => bytes.Pin());
                Assert.AreEqual(2, pool.ActiveBlocks);
                pin.Dispose();
                Assert.AreEqual(1, pool.ActiveBlocks);
                block.Dispose();
                Assert.Throws<ObjectDisposedException>(() => block.ToMemoryOwner());
            }
        }

        [Test]
        public void AnOwnerThatIsPinnedGivesItsMemoryBackBehindTheLastPin() // a socket, say, is still reading it
        {
            using (PinnedAllocator pinned = new PinnedAllocator(Shared.Queue))
            using (PageLockedMemoryPool pool = new PageLockedMemoryPool(pinned))
            {
                System.Buffers.IMemoryOwner<byte> owner = pool.Allocate(100).ToMemoryOwner();
                Memory<byte> bytes = owner.Memory;
                System.Buffers.MemoryHandle first = bytes.Pin(), second = bytes.Pin();
                owner.Dispose();
                Assert.Throws<ObjectDisposedException>(() => bytes.Pin());
                first.Dispose();
                first.Dispose();
                Assert.AreEqual(1, pool.ActiveBlocks);
                second.Dispose();
                Assert.AreEqual(0, pool.ActiveBlocks);
                Shared.Forget(() =>
                {
                    System.Buffers.IMemoryOwner<byte> forgotten = pool.Allocate(100).ToMemoryOwner();
                    forgotten.Memory.Pin();
                    forgotten.Dispose();
                });
                pool.Tick();
                Assert.AreEqual(0, pool.ActiveBlocks);
            }
        }
#endif
    }
}
