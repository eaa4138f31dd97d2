// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Prints what CUDA says of the occupancy of many kernels: for each its registers and static local memory as
// the compiler made them, and the blocks per multiprocessor over group sizes and dynamic local memory.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace {

void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
  }
}

/// Keeps `Values` numbers in registers and `Floats` numbers in static local memory.
template <int Values, int Floats>
__device__ void work(const float* in, float* out, int rounds) {
  float values[Values];
#pragma unroll
  for (int i = 0; i < Values; ++i) {
    values[i] = in[threadIdx.x + i * blockDim.x];
  }
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < Values; ++i) {
      values[i] = values[i] * values[(i + 1) % Values] + values[(i + Values / 2) % Values];
    }
  }
  if constexpr (Floats > 0) {
    __shared__ float tile[Floats];
    tile[threadIdx.x % Floats] = values[0];
    __syncthreads();
    values[0] = tile[(threadIdx.x + 1) % Floats];
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < Values; ++i) {
    sum += values[i];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <int Values, int Floats, int MostThreads>
__global__ void __launch_bounds__(MostThreads) bounded(const float* in, float* out, int rounds) {
  work<Values, Floats>(in, out, rounds);
}

/// Without launch bounds, which take precedence over -maxrregcount.
template <int Values, int Floats>
__global__ void unbounded(const float* in, float* out, int rounds) {
  work<Values, Floats>(in, out, rounds);
}

constexpr int group_sizes[] = {1,   32,  50,  64,  96,  128, 160, 192, 224,
                               256, 320, 384, 448, 512, 640, 768, 896, 1024};
constexpr int dynamic_bytes[] = {0, 1, 1000, 4096, 9000, 16384, 30000, 49152, 70000, 100000, 160000, 220000};

using Kernel = void (*)(const float*, float*, int);

void ask(const cudaDeviceProp& device, Kernel kernel) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  const int fixed = static_cast<int>(attributes.sharedSizeBytes);
  const int most = static_cast<int>(device.sharedMemPerBlockOptin) - fixed;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
        "cudaFuncSetAttribute");
  for (const int threads : group_sizes) {
    for (const int dynamic : dynamic_bytes) {
      if (threads > attributes.maxThreadsPerBlock || dynamic > most) {
        continue;
      }
      int blocks = 0;
      check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                          static_cast<size_t>(dynamic)),
            "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
      std::printf("%d,%d,%d,%d,%d,%d,%d\n", device.major, device.minor, threads, attributes.numRegs, fixed,
                  dynamic, blocks);
    }
  }
}

template <int Values>
void ask_all(const cudaDeviceProp& device) {
  ask(device, bounded<Values, 0, 1024>);
  ask(device, bounded<Values, 300, 512>);
  ask(device, bounded<Values, 5000, 256>);
  ask(device, unbounded<Values, 0>);
  ask(device, unbounded<Values, 1111>);
}

}  // namespace

int main() {
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  ask_all<1>(device);
  ask_all<12>(device);
  ask_all<20>(device);
  ask_all<28>(device);
  ask_all<36>(device);
  ask_all<44>(device);
  ask_all<56>(device);
  ask_all<72>(device);
  ask_all<100>(device);
  ask_all<140>(device);
  ask_all<190>(device);
  ask_all<230>(device);
  return 0;
}
