// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class DeviceTest {
  private final Session session = Support.session();
  private final Device device = session.device();

  @Test
  void devicesAreChosenAndListed() {
    Device chosen = Device.choose(DeviceSelection.byEnvironment());
    assertEquals(device, chosen);
    List<Device> all = Device.list(DeviceSelection.byEnvironment().ignoringEnvironment());
    assertTrue(all.size() >= 1);
    assertFalse(Device.listForTests().isEmpty());
    assertTrue(chosen.describe().contains("["), chosen.describe());
    assertEquals(chosen.describe(), chosen.toString());
    assertNotEquals(0, chosen.handle());
    assertNotEquals(0, chosen.platform());
    assertEquals(device, Device.of(device.handle()));
    assertThrows(
        ClpoolException.class,
        () -> Device.choose(DeviceSelection.of("no such").withTypes(Cl.DEVICE_TYPE_GPU)));
    try (Session other = Clpool.createDefault(DeviceSelection.byEnvironment().byRank())) {
      assertTrue(other.toString().startsWith("Session["));
    }
  }

  @Test
  void factsOfADeviceAreThoseThatOpenClTells() {
    DeviceFacts facts = device.facts();
    assertEquals(device.describe(), facts.name() + " [" + facts.platform() + "]");
    assertEquals(device.svmCapabilities(), facts.svmCapabilities());
    assertTrue(facts.computeUnits() >= 1 && facts.type() != 0, facts.toString());
    assertTrue(facts.memoryBytes() >= facts.largestAllocationBytes() && facts.largestAllocationBytes() > 0, facts.toString());
    assertTrue(facts.localMemoryBytes() > 0 && Long.bitCount(facts.alignment()) == 1, facts.toString());
    assertTrue(facts.version().startsWith("OpenCL " + facts.versionMajor() + "." + facts.versionMinor()), facts.toString());
    assertFalse(facts.vendor().isEmpty() || facts.driverVersion().isEmpty(), facts.toString());
    assertEquals(device, Device.list(DeviceSelection.of(facts.platformIndex() + ":" + facts.deviceIndex())).get(0));
    try (CommandQueue several = CommandQueue.createOutOfOrder(session.context(), device)) {
      assertTrue(facts.hasOutOfOrderQueues(), facts.toString());
    } catch (ClpoolException e) {
      assertFalse(facts.hasOutOfOrderQueues(), facts.toString());
    }
  }

  @Test
  void everyQuestionHasAnAnswerWithItsSource() {
    Characterization facts = device.characterize();
    for (Answer answer :
        List.of(
            facts.doubleSupport(),
            facts.amdDoubleSupport(),
            facts.localAccessGranularity(),
            facts.localAccessWorkItems(),
            facts.localBankCount(),
            facts.simdGroupSize(),
            facts.sourceBuildCache(),
            facts.subGroups(),
            facts.workGroupSizeMultiple(session.context()),
            facts.workGroupSizeMultiple(null),
            facts.structArgumentBug(session.context()),
            facts.computeCapability(),
            facts.poclVersion(),
            facts.svm(SvmKind.COARSE_BUFFER),
            facts.svm(SvmKind.FINE_SYSTEM_ATOMICS),
            facts.usableLocalMemory(-1))) {
      assertFalse(answer.source().toString().isEmpty());
      assertTrue(answer.toString().contains(answer.source().toString()));
      assertTrue(answer.basis() != null && answer.note() != null);
    }
    assertTrue(facts.simdGroupSize().value() >= 1);
    assertTrue(facts.simdGroupSizes().length >= 1);
    assertTrue(facts.fastBuildOptions().contains("-cl-"), facts.fastBuildOptions());
    assertTrue(facts.localAccessConflicts(4, new long[] {32, 32}, null).multiplicity() >= 1);
    assertThrows(IllegalArgumentException.class, () -> facts.usableLocalMemory(-2));
    assertEquals(
        device.svmCapabilities() != 0, facts.svm(SvmKind.COARSE_BUFFER).isYes());
    assertSame(AnswerSource.QUERY, device.characterize(Model.PYOPENCL).doubleSupport().source());
  }

  @Test
  void speedIsMeasured() {
    Performance speed = device.characterize().performance(session.context(), 1, 1, 1 << 16, 1);
    assertTrue(speed.writeBandwidth() > 0);
    assertTrue(speed.emptyKernelNanos() > 0);
    assertEquals(1 << 16, speed.transferBytes());
    assertTrue(speed.toString().contains("writeBandwidth="));
  }

  @Test
  void bankConflictsNeedNoDevice() {
    BankConflicts bad = BankConflicts.of(BankMemory.byDefault(), 4, new long[] {32, 32}, null);
    assertEquals(32, bad.multiplicity());
    assertFalse(bad.reason().isEmpty());
    BankConflicts padded =
        BankConflicts.of(BankMemory.byDefault(), 4, new long[] {32, 32}, new long[] {32, 33});
    assertEquals(1, padded.multiplicity());
    assertEquals("1", padded.toString());
    BankMemory old = BankMemory.byDefault().model(Model.PYOPENCL).granularity(4).workItems(16).banks(16);
    assertEquals(16, BankConflicts.of(old, 4, new long[] {16, 16}, null).multiplicity());
  }

  @Test
  void occupancyFollowsTheArchitecture() {
    try (DeviceData data = DeviceData.ofComputeCapability(9, 0, Model.CURRENT);
        DeviceData named = DeviceData.ofArchitecture("sm_90", Model.CURRENT)) {
      DeviceLimits limits = data.limits();
      assertSame(DeviceVendor.NVIDIA, limits.vendor());
      assertEquals(64, limits.maxWarpsPerMp());
      assertEquals(limits.registersPerMp(), named.limits().registersPerMp());
      Occupancy full = data.occupancy(OccupancyRequest.ofThreads(256).registersPerThread(32));
      assertEquals(1.0, full.occupancy());
      assertEquals(8, full.groupsPerMp());
      Occupancy half = data.occupancy(OccupancyRequest.ofThreads(256).registersPerThread(64));
      assertEquals(EnumSet.of(LimitingFactor.REGISTERS), half.limitingFactors());
      assertEquals("registers", LimitingFactor.REGISTERS.name(Model.CURRENT));
      assertEquals("regs", LimitingFactor.REGISTERS.name(Model.PYOPENCL));
      Occupancy none = data.occupancy(OccupancyRequest.ofThreads(32).localBytes(1 << 20));
      assertEquals(0, none.groupsPerMp());
      assertEquals(Occupancy.UNLIMITED, full.limitBarriers());
      OccupancyRequest other =
          OccupancyRequest.ofThreads(64).carveOutBytes(1024).barriers(1).withoutOptIn().withPartitionedCache();
      assertTrue(data.occupancy(other).groupsPerMp() > 0);
      assertTrue(data.suggestGroupSizes(OccupancyRequest.ofThreads(1)).contains(1024));
      assertThrows(IllegalArgumentException.class, () -> data.occupancy(OccupancyRequest.ofThreads(-5)));

      try (DeviceData own = new DeviceLimitsBuilder().like(limits).maxWarpsPerMp(32).build()) {
        assertEquals(32, own.limits().maxWarpsPerMp());
        assertEquals(0.5, own.occupancy(OccupancyRequest.ofThreads(1024)).groupsPerMp() * 0.5);
        assertEquals(limits.localPerMp(), own.limits().localPerMp());
        assertTrue(own.toString().contains("32 warps"));
      }
      assertThrows(IllegalArgumentException.class, () -> new DeviceLimitsBuilder().build());
      assertThrows(IllegalArgumentException.class, () -> new DeviceLimitsBuilder().warpSize(-1));
      Exception missing = assertThrows(NullPointerException.class, () -> new DeviceLimitsBuilder().like(null));
      assertEquals("other is null", missing.getMessage());
    }
    assertThrows(ClpoolException.class, () -> DeviceData.ofComputeCapability(99, 9, Model.CURRENT));
    try (DeviceData mine = DeviceData.of(device, Model.CURRENT)) {
      assertTrue(mine.limits().warpSize() >= 1);
      assertFalse(mine.limits().source().toString().isEmpty());
    }
  }

  @Test
  void alignmentArithmeticIsPyCudas() {
    assertEquals(64, DeviceData.alignBytes(4));
    assertEquals(128, DeviceData.align(65, 8));
    assertEquals(16, DeviceData.alignWords(8));
    assertEquals(32, DeviceData.alignElements(17, 4));
    assertEquals(32, DeviceData.coalesce(17));
    assertEquals(Long.MAX_VALUE - 15, DeviceData.coalesce(Long.MAX_VALUE - 15));
    for (Executable tooMuch :
        new Executable[] {
          () -> DeviceData.coalesce(Long.MAX_VALUE - 14),
          () -> DeviceData.align(Long.MAX_VALUE, 4),
          () -> DeviceData.alignElements(Long.MAX_VALUE, 4)
        }) {
      String message = assertThrows(IllegalArgumentException.class, tooMuch).getMessage();
      assertTrue(message.contains(" is 9223372036854775") && message.endsWith(", 9223372036854775807"), message);
    }
    assertEquals(4, DeviceData.validChannelCount(3));
    assertThrows(IllegalArgumentException.class, () -> DeviceData.validChannelCount(5));
  }

  @Test
  void everythingPrintsItself() {
    Session session = Support.session();
    Allocator allocator = Allocator.custom(new Support.Dry());
    ImageFormat format = new ImageFormat(Cl.RGBA, Cl.UNSIGNED_INT8);
    Object[] objects = {
      Box.of(4, 2), DeviceSelection.of("gpu"), OccupancyRequest.ofThreads(64), Pool.builder(allocator),
      session.device().characterize(), session.queue().images(), new MemoryRoot(16, 4), session.queue(),
      session.context(), session, allocator, format
    };
    for (Object object : objects) {
      assertFalse(object.toString().startsWith(object.getClass().getName() + "@"), object.getClass().getName());
    }
    assertTrue(Box.of(4, 2).toString().contains("[4, 2"), Box.of(4, 2).toString());
    assertTrue(Pool.builder(allocator).name("mine").toString().contains("mine"));
  }
}
