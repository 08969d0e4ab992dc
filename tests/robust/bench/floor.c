/* floor.c - the minimum work of a program that uses a GPU: creates one context with one queue,
 * copies 4 KiB back, and exits. ./mapping is measured as a multiple of it.
 *
 * The driver is loaded at run time, so this program links without the driver. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* A function of the driver API by its name in libcuda.so.1; all of them return 0 for success. */
static void *find(void *driver, const char *name) {
    void *function = dlsym(driver, name);
    if (!function) {
        fprintf(stderr, "floor: the driver has no %s\n", name);
        exit(5);
    }
    return function;
}

int main(void) {
    enum { SIZE = 4096 };
    static char host[SIZE];
    int device;
    void *context;
    unsigned long long memory;
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) {
        fprintf(stderr, "floor: there is no NVIDIA driver\n");
        return 3;
    }
    int (*init)(unsigned) = (int (*)(unsigned))find(driver, "cuInit");
    int (*get)(int *, int) = (int (*)(int *, int))find(driver, "cuDeviceGet");
    int (*retain)(void **, int) = (int (*)(void **, int))find(driver, "cuDevicePrimaryCtxRetain");
    int (*set)(void *) = (int (*)(void *))find(driver, "cuCtxSetCurrent");
    int (*allocate)(unsigned long long *, size_t) =
        (int (*)(unsigned long long *, size_t))find(driver, "cuMemAlloc_v2");
    int (*copy)(void *, unsigned long long, size_t) =
        (int (*)(void *, unsigned long long, size_t))find(driver, "cuMemcpyDtoH_v2");
    if (init(0) || get(&device, 0) || retain(&context, device) || set(context) ||
        allocate(&memory, SIZE) || copy(host, memory, SIZE)) {
        fprintf(stderr, "floor: the driver failed\n");
        return 5;
    }
    printf("%d\n", host[0]);
    return 0;
}
