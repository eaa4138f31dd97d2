// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
import org.clpool.Clpool;
import org.clpool.DeviceData;
import org.clpool.Occupancy;
import org.clpool.OccupancyRequest;
import org.clpool.Session;

/** How many work-groups a multiprocessor holds, by group size: of an NVIDIA H100 or the architecture given. */
public final class OccupancyReport {
  private static final int REGISTERS = 64;
  private static final int LOCAL_BYTES = 8192;

  private OccupancyReport() {}

  public static void main(String[] arguments) {
    String architecture = arguments.length == 0 ? "sm_90" : arguments[0];
    try (DeviceData data = DeviceData.ofArchitecture(architecture)) {
      print(architecture, data);
    }
    try (Session session = Clpool.createDefault();
        DeviceData data = DeviceData.of(session.device())) {
      System.out.println(session.device() + ", figures from: " + data.limits().source());
    }
  }

  private static void print(String name, DeviceData data) {
    System.out.println(name + ": " + data.limits());
    System.out.println("kernel: " + REGISTERS + " registers; groups: " + LOCAL_BYTES + " bytes of local memory");
    OccupancyRequest request = OccupancyRequest.ofThreads(1).registersPerThread(REGISTERS).localBytes(LOCAL_BYTES);
    for (int threads = 64; threads <= 1024; threads *= 2) {
      Occupancy occupancy =
          data.occupancy(
              OccupancyRequest.ofThreads(threads).registersPerThread(REGISTERS).localBytes(LOCAL_BYTES));
      System.out.printf(
          "%5d threads: %2d groups, %5.1f %%, limited by %s%n",
          threads, occupancy.groupsPerMp(), 100 * occupancy.occupancy(), occupancy.limitingFactors());
    }
    System.out.println("best: " + data.suggestGroupSizes(request) + " threads");
  }
}
