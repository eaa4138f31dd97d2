// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.clpool.Allocator;
import org.clpool.Cache;
import org.clpool.Characterization;
import org.clpool.Clpool;
import org.clpool.Memory;
import org.clpool.Pool;
import org.clpool.Session;

/** Launches a kernel through JNA on pooled memory: handles are plain longs, so any OpenCL binding will do. */
public final class KernelThroughJna {
  private static final String SOURCE =
      "kernel void twice(global int* data) { size_t i = get_global_id(0); data[i] = 2 * data[i]; }";
  private static final int COUNT = 1000;

  /** The part of OpenCL that this program needs. */
  public interface OpenCl extends Library {
    OpenCl CL = Native.load("libOpenCL.so.1", OpenCl.class);

    Pointer clCreateProgramWithSource(
        Pointer context, int count, String[] sources, Pointer lengths, IntByReference error);

    int clBuildProgram(Pointer program, int devices, Pointer list, String options, Pointer notify, Pointer user);

    Pointer clCreateKernel(Pointer program, String name, IntByReference error);

    int clEnqueueNDRangeKernel(
        Pointer queue, Pointer kernel, int dimensions, Pointer offset, NativeLong[] global, Pointer local,
        int waitCount, Pointer waitList, Pointer event);

    int clReleaseProgram(Pointer program);
  }

  private KernelThroughJna() {}

  public static void main(String[] arguments) {
    try (Session session = Clpool.createDefault();
        Allocator allocator = Allocator.immediate(session.queue());
        Pool pool = Pool.of(allocator);
        Cache<String, Pointer> kernels = Cache.create();
        Memory memory = pool.allocate(4L * COUNT)) {
      ByteBuffer data = ByteBuffer.allocateDirect(4 * COUNT).order(ByteOrder.nativeOrder());
      for (int i = 0; i < COUNT; ++i) {
        data.putInt(4 * i, i);
      }
      session.queue().write(memory, 0, data);
      for (int round = 0; round < 3; ++round) {
        Pointer kernel = kernels.computeIfAbsent(session.context(), SOURCE, () -> build(session));
        memory.setKernelArg(Pointer.nativeValue(kernel), 0);
        check(
            OpenCl.CL.clEnqueueNDRangeKernel(
                new Pointer(session.queue().handle()), kernel, 1, null, new NativeLong[] {new NativeLong(COUNT)}, null,
                0, null, null));
      }
      report(session.device().characterize(), kernels.computeIfAbsent(session.context(), SOURCE, () -> null));
      session.queue().read(memory, 0, data);
      for (int i = 0; i < COUNT; ++i) {
        if (data.getInt(4 * i) != 8 * i) {
          throw new AssertionError("item " + i + " is " + data.getInt(4 * i));
        }
      }
      System.out.println(COUNT + " numbers doubled three times on " + session.device() + ", " + kernels);
    }
  }

  private static void report(Characterization device, Pointer kernel) {
    long handle = Pointer.nativeValue(kernel);
    System.out.println("SIMD width of the kernel: " + device.simdGroupSizeOfKernel(handle));
    System.out.println("local memory left to it:  " + device.usableLocalMemoryOfKernel(handle));
  }

  private static Pointer build(Session session) {
    IntByReference error = new IntByReference();
    Pointer program =
        OpenCl.CL.clCreateProgramWithSource(
            new Pointer(session.context().handle()), 1, new String[] {SOURCE}, null, error);
    check(error.getValue());
    check(OpenCl.CL.clBuildProgram(program, 0, null, "", null, null));
    Pointer kernel = OpenCl.CL.clCreateKernel(program, "twice", error);
    check(error.getValue());
    check(OpenCl.CL.clReleaseProgram(program));
    return kernel;
  }

  private static void check(int error) {
    if (error != 0) {
      throw new IllegalStateException(Clpool.clErrorName(error));
    }
  }
}
