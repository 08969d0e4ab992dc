/* minimal.cu - the least that a CUDA program does: allocate, launch, copy back. */
#include <cstdio>

__global__ void kernel(int *output) {
    output[threadIdx.x] = static_cast<int>(threadIdx.x);
}

int main() {
    int *device, host[32];
    if (cudaMalloc(&device, sizeof host) != cudaSuccess)
        return 5;
    kernel<<<1, 32>>>(device);
    if (cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 5;
    std::printf("%d\n", host[31]);
    return 0;
}
