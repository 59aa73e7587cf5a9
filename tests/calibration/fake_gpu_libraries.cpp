// The libraries of CUDA and of ROCm with two devices that compute nothing, and take the time that their rates and links
// give. Every call is checked: numbers of options as the maker's headers have them, sizes, and memory that is large enough
// and on the device of the handle. The test puts this file in the place of the real libraries, under their names.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

namespace {

constexpr int bad = 1, devices = 2;
constexpr double second_device = 2;  // times as slow

using Clock = std::chrono::steady_clock;

struct Block {
  int device;  // -1: RAM
  std::size_t bytes;
};

struct Queue {
  int device;
  Clock::time_point free_at;
};

struct Handle {
  Queue* queue;
};

std::map<char*, Block> blocks;
thread_local int current = 0;

void spin_until(Clock::time_point end) {
  while (Clock::now() < end) {
  }
}

/// Puts work on a queue.
int add(Queue& queue, double seconds) {
  queue.free_at = std::max(queue.free_at, Clock::now()) +
                  std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  return 0;
}

/// Returns the block that has these bytes; null without one.
Block const* block_of(void const* at, std::size_t bytes) {
  auto* const where = static_cast<char*>(const_cast<void*>(at));
  auto next = blocks.upper_bound(where);
  if (next == blocks.begin()) return nullptr;
  auto const& [start, block] = *std::prev(next);
  return where + bytes <= start + block.bytes ? &block : nullptr;
}

bool has(Handle const* h, void const* tile, int n, int element_bytes) {
  Block const* const block = block_of(tile, static_cast<std::size_t>(n) * static_cast<std::size_t>(n) *
                                                static_cast<std::size_t>(element_bytes));
  return h != nullptr && h->queue != nullptr && block != nullptr && block->device == h->queue->device;
}

int kernel(Handle* h, double flops, double gflops) {
  return add(*h->queue, flops / (gflops * 1e9) * (h->queue->device == 0 ? 1 : second_device));
}

int allocate(void** memory, std::size_t bytes, int device) {
  *memory = std::malloc(bytes);
  if (*memory == nullptr) return bad;
  blocks[static_cast<char*>(*memory)] = {device, bytes};
  return 0;
}

int release(void* memory) {
  if (blocks.erase(static_cast<char*>(memory)) == 0) return bad;
  std::free(memory);
  return 0;
}

/// 20 us, and 20 GB/s to a device, 16 back, 40 between devices.
int copy(void* to, void const* from, std::size_t bytes, int kind, Queue* queue) {
  Block const *const target = block_of(to, bytes), *const source = block_of(from, bytes);
  if (kind != 4 || target == nullptr || source == nullptr || queue == nullptr) return bad;
  double const rate = source->device < 0 ? 20e9 : target->device < 0 ? 16e9 : 40e9;
  return add(*queue, 20e-6 + static_cast<double>(bytes) / rate);
}

double cube(int n) { return static_cast<double>(n) * n * n; }

}  // namespace

// Both makers' runtime libraries.
#define RUNTIME(prefix)                                                                                      \
  extern "C" int prefix##GetDeviceCount(int* count) { return *count = devices, 0; }                          \
  extern "C" int prefix##SetDevice(int device) {                                                             \
    if (device < 0 || device >= devices) return bad;                                                         \
    return current = device, 0;                                                                              \
  }                                                                                                          \
  extern "C" int prefix##SetDeviceFlags(unsigned flags) { return flags == 1 ? 0 : bad; }                     \
  extern "C" int prefix##MemGetInfo(std::size_t* unused, std::size_t* all) {                                 \
    return *unused = *all = std::size_t{40} << 30U, 0;                                                       \
  }                                                                                                          \
  extern "C" int prefix##Malloc(void** memory, std::size_t bytes) {                                          \
    return allocate(memory, bytes, current);                                                                 \
  }                                                                                                          \
  extern "C" int prefix##Free(void* memory) { return release(memory); }                                      \
  extern "C" int prefix##Memcpy(void* to, void const* from, std::size_t bytes, int kind) {                   \
    if (kind != 4 || block_of(to, bytes) == nullptr) return bad;                                             \
    std::memcpy(to, from, bytes);                                                                            \
    return 0;                                                                                                \
  }                                                                                                          \
  extern "C" int prefix##MemcpyAsync(void* to, void const* from, std::size_t bytes, int kind, void* queue) { \
    return copy(to, from, bytes, kind, static_cast<Queue*>(queue));                                          \
  }                                                                                                          \
  extern "C" int prefix##StreamCreate(void** queue) { return *queue = new Queue{current, {}}, 0; }           \
  extern "C" int prefix##StreamDestroy(void* queue) {                                                        \
    delete static_cast<Queue*>(queue);                                                                       \
    return 0;                                                                                                \
  }                                                                                                          \
  extern "C" int prefix##StreamSynchronize(void* queue) {                                                    \
    spin_until(static_cast<Queue*>(queue)->free_at);                                                         \
    return 0;                                                                                                \
  }                                                                                                          \
  extern "C" int prefix##EventCreate(void** event) { return *event = new Clock::time_point{}, 0; }           \
  extern "C" int prefix##EventDestroy(void* event) {                                                         \
    delete static_cast<Clock::time_point*>(event);                                                           \
    return 0;                                                                                                \
  }                                                                                                          \
  extern "C" int prefix##EventRecord(void* event, void* queue) {                                             \
    auto const free_at = static_cast<Queue*>(queue)->free_at;                                                \
    return *static_cast<Clock::time_point*>(event) = std::max(free_at, Clock::now()), 0;                     \
  }                                                                                                          \
  extern "C" int prefix##EventElapsedTime(float* ms, void* start, void* end) {                               \
    auto const from = *static_cast<Clock::time_point*>(start), to = *static_cast<Clock::time_point*>(end);   \
    if (to > Clock::now()) return bad;                                                                       \
    return *ms = std::chrono::duration<float, std::milli>(to - from).count(), 0;                             \
  }                                                                                                          \
  extern "C" int prefix##DeviceSynchronize() { return 0; }                                                   \
  extern "C" char const* prefix##GetErrorString(int) { return "a call that a device would refuse"; }         \
  extern "C" int prefix##DeviceCanAccessPeer(int* can, int, int) { return *can = 1, 0; }                     \
  extern "C" int prefix##DeviceEnablePeerAccess(int, unsigned flags) { return flags == 0 ? 0 : bad; }        \
  extern "C" int prefix##GetLastError() { return 0; }

#ifdef FAKE_CUDA

RUNTIME(cuda)
extern "C" int cudaMallocHost(void** memory, std::size_t bytes) { return allocate(memory, bytes, -1); }
extern "C" int cudaFreeHost(void* memory) { return release(memory); }
extern "C" int cuInit(unsigned flags) { return flags == 0 ? 0 : bad; }
extern "C" int cuDeviceGetName(char* text, int size, int device) {
  return std::snprintf(text, static_cast<std::size_t>(size), "made-up A%d", device) > 0 ? 0 : bad;
}

namespace {
constexpr int n_ = 0, t_ = 1, lower_ = 0, left_ = 0, non_unit_ = 0;
}
#define TYPED_BLAS(letter, name) cublas##letter##name##_v2

extern "C" int cublasCreate_v2(void** h) { return *h = new Handle{}, 0; }
extern "C" int cublasSetStream_v2(void* h, void* queue) {
  return static_cast<Handle*>(h)->queue = static_cast<Queue*>(queue), 0;
}
extern "C" int cublasDestroy_v2(void* h) {
  delete static_cast<Handle*>(h);
  return 0;
}
extern "C" int cusolverDnCreate(void** h) { return cublasCreate_v2(h); }
extern "C" int cusolverDnSetStream(void* h, void* queue) { return cublasSetStream_v2(h, queue); }
extern "C" int cusolverDnDestroy(void* h) { return cublasDestroy_v2(h); }
extern "C" int cublasGemmEx(Handle* h, int ta, int tb, int m, int n, int k, float const* alpha, void const* a,
                            int at, int lda, void const* b, int bt, int ldb, float const* beta, void* c,
                            int ct, int ldc, int compute, int algorithm) {
  int const bytes = at == 0 ? 4 : 2;
  if (ta != n_ || tb != t_ || m != n || k != n || lda != n || ldb != n || ldc != n || at != bt || at != ct ||
      algorithm != -1 || *alpha != -1 || *beta != 1)
    return bad;
  if (!has(h, a, n, bytes) || !has(h, b, n, bytes) || !has(h, c, n, bytes)) return bad;
  if (at == 0) return compute == 77 ? kernel(h, 2 * cube(n), 100) : bad;  // TF32
  return compute == 68 ? kernel(h, 2 * cube(n), at == 2 ? 200 : at == 14 ? 160 : 1e-9) : bad;
}
// The solver's work space: n elements, whose address must be memory of the device.
#define SOLVER(letter, type)                                                                            \
  extern "C" int cusolverDn##letter##potrf_bufferSize(Handle*, int part, int n, type const* a, int lda, \
                                                      int* size) {                                      \
    return *size = n, part == lower_ && lda == n && a != nullptr ? 0 : bad;                             \
  }                                                                                                     \
  extern "C" int cusolverDn##letter##potrf(Handle* h, int part, int n, type* a, int lda, type* work,    \
                                           int size, int* info) {                                       \
    bool const right =                                                                                  \
        part == lower_ && lda == n && size == n && has(h, a, n, sizeof(type)) && has(h, info, 1, 4);    \
    return right && block_of(work, sizeof(type) * static_cast<std::size_t>(size))                       \
               ? kernel(h, cube(n) / 3, sizeof(type) == 8 ? 4 : 8)                                      \
               : bad;                                                                                   \
  }                                                                                                     \
  extern "C" int cusolverDn##letter##getrf_bufferSize(Handle*, int m, int n, type const* a, int lda,    \
                                                      int* size) {                                      \
    return *size = n, m == n && lda == n && a != nullptr ? 0 : bad;                                     \
  }                                                                                                     \
  extern "C" int cusolverDn##letter##getrf(Handle* h, int m, int n, type* a, int lda, type* work,       \
                                           int* pivots, int* info) {                                    \
    bool const right = m == n && lda == n && pivots == nullptr && work != nullptr &&                    \
                       has(h, a, n, sizeof(type)) && has(h, info, 1, 4);                                \
    return right ? kernel(h, 2 * cube(n) / 3, sizeof(type) == 8 ? 5 : 10) : bad;                        \
  }                                                                                                     \
  extern "C" int cusolverDn##letter##geqrf_bufferSize(Handle*, int m, int n, type const* a, int lda,    \
                                                      int* size) {                                      \
    return *size = 2 * n, m == n && lda == n && a != nullptr ? 0 : bad;                                 \
  }                                                                                                     \
  extern "C" int cusolverDn##letter##geqrf(Handle* h, int m, int n, type* a, int lda, type* reflectors, \
                                           type* work, int size, int* info) {                           \
    bool const right =                                                                                  \
        m == n && lda == n && size == 2 * n && has(h, a, n, sizeof(type)) && has(h, info, 1, 4);        \
    bool const there = block_of(work, sizeof(type) * static_cast<std::size_t>(size)) &&                 \
                       block_of(reflectors, sizeof(type) * static_cast<std::size_t>(n));                \
    return right && there ? kernel(h, 4 * cube(n) / 3, sizeof(type) == 8 ? 6 : 12) : bad;               \
  }                                                                                                     \
  extern "C" int cusolverDn##letter##ormqr_bufferSize(Handle*, int side, int as, int m, int n, int k,   \
                                                      type const* a, int lda, type const* reflectors,   \
                                                      type const* c, int ldc, int* size) {              \
    bool const right = side == left_ && as == t_ && m == n && k == n && lda == n && ldc == n;           \
    return *size = 3 * n, right && a != nullptr && reflectors != nullptr && c != nullptr ? 0 : bad;     \
  }                                                                                                     \
  extern "C" int cusolverDn##letter##ormqr(Handle* h, int side, int as, int m, int n, int k, type* a,   \
                                           int lda, type* reflectors, type* c, int ldc, type* work,     \
                                           int size, int* info) {                                       \
    bool const right = side == left_ && as == t_ && m == n && k == n && lda == n && ldc == n &&         \
                       reflectors != nullptr && info != nullptr;                                        \
    bool const there = has(h, a, n, sizeof(type)) && has(h, c, n, sizeof(type)) && size == 3 * n;       \
    return right && there && block_of(work, sizeof(type) * static_cast<std::size_t>(size))              \
               ? kernel(h, 2 * cube(n), sizeof(type) == 8 ? 10 : 20)                                    \
               : bad;                                                                                   \
  }
SOLVER(D, double)
SOLVER(S, float)

#else

RUNTIME(hip)
extern "C" int hipHostMalloc(void** memory, std::size_t bytes, unsigned flags) {
  return flags == 0 ? allocate(memory, bytes, -1) : bad;
}
extern "C" int hipHostFree(void* memory) { return release(memory); }
extern "C" int hipDeviceGetName(char* text, int size, int device) {
  return std::snprintf(text, static_cast<std::size_t>(size), "made-up MI%d", device) > 0 ? 0 : bad;
}

namespace {
constexpr int n_ = 111, t_ = 112, lower_ = 122, left_ = 141, non_unit_ = 131;
}
#define TYPED_BLAS(letter, name) rocblas_##letter##name

extern "C" int rocblas_create_handle(void** h) { return *h = new Handle{}, 0; }
extern "C" int rocblas_set_stream(void* h, void* queue) {
  return static_cast<Handle*>(h)->queue = static_cast<Queue*>(queue), 0;
}
extern "C" int rocblas_destroy_handle(void* h) {
  delete static_cast<Handle*>(h);
  return 0;
}
extern "C" int rocblas_gemm_ex(Handle* h, int ta, int tb, int m, int n, int k, float const* alpha,
                               void const* a, int at, int lda, void const* b, int bt, int ldb,
                               float const* beta, void const* c, int ct, int ldc, void const* d, int dt,
                               int ldd, int compute, int algorithm, int solution, unsigned flags) {
  if (ta != n_ || tb != t_ || m != n || k != n || lda != n || ldb != n || ldc != n || ldd != n || at != bt ||
      at != ct || at != dt || c != d)
    return bad;
  if (compute != 151 || algorithm != 0 || solution != 0 || flags != 0 || *alpha != -1 || *beta != 1)
    return bad;
  if (!has(h, a, n, 2) || !has(h, b, n, 2) || !has(h, c, n, 2)) return bad;
  return kernel(h, 2 * cube(n), at == 150 ? 200 : at == 168 ? 160 : 1e-9);
}
#define SOLVER(letter, type)                                                                              \
  extern "C" int rocsolver_##letter##potrf(Handle* h, int part, int n, type* a, int lda, int* info) {     \
    bool const right = part == lower_ && lda == n && has(h, a, n, sizeof(type)) && has(h, info, 1, 4);    \
    return right ? kernel(h, cube(n) / 3, sizeof(type) == 8 ? 4 : 8) : bad;                               \
  }                                                                                                       \
  extern "C" int rocsolver_##letter##getrf_npvt(Handle* h, int m, int n, type* a, int lda, int* info) {   \
    bool const right = m == n && lda == n && has(h, a, n, sizeof(type)) && has(h, info, 1, 4);            \
    return right ? kernel(h, 2 * cube(n) / 3, sizeof(type) == 8 ? 5 : 10) : bad;                          \
  }                                                                                                       \
  extern "C" int rocsolver_##letter##geqrf(Handle* h, int m, int n, type* a, int lda, type* reflectors) { \
    bool const right = m == n && lda == n && has(h, a, n, sizeof(type)) &&                                \
                       block_of(reflectors, sizeof(type) * static_cast<std::size_t>(n));                  \
    return right ? kernel(h, 4 * cube(n) / 3, sizeof(type) == 8 ? 6 : 12) : bad;                          \
  }                                                                                                       \
  extern "C" int rocsolver_##letter##ormqr(Handle* h, int side, int as, int m, int n, int k, type* a,     \
                                           int lda, type* reflectors, type* c, int ldc) {                 \
    bool const right =                                                                                    \
        side == left_ && as == t_ && m == n && k == n && lda == n && ldc == n && reflectors != nullptr;   \
    return right && has(h, a, n, sizeof(type)) && has(h, c, n, sizeof(type))                              \
               ? kernel(h, 2 * cube(n), sizeof(type) == 8 ? 10 : 20)                                      \
               : bad;                                                                                     \
  }
SOLVER(d, double)
SOLVER(s, float)

#endif

#define PRODUCTS(letter, type)                                                                               \
  extern "C" int TYPED_BLAS(letter, gemm)(Handle * h, int ta, int tb, int m, int n, int k,                   \
                                          type const* alpha, type const* a, int lda, type const* b, int ldb, \
                                          type const* beta, type* c, int ldc) {                              \
    bool const right = ta == n_ && tb == t_ && m == n && k == n && lda == n && ldb == n && ldc == n &&       \
                       *alpha == -1 && *beta == 1;                                                           \
    bool const there =                                                                                       \
        has(h, a, n, sizeof(type)) && has(h, b, n, sizeof(type)) && has(h, c, n, sizeof(type));              \
    return right && there ? kernel(h, 2 * cube(n), sizeof(type) == 8 ? 25 : 50) : bad;                       \
  }                                                                                                          \
  extern "C" int TYPED_BLAS(letter, syrk)(Handle * h, int part, int as, int n, int k, type const* alpha,     \
                                          type const* a, int lda, type const* beta, type* c, int ldc) {      \
    bool const right =                                                                                       \
        part == lower_ && as == n_ && k == n && lda == n && ldc == n && *alpha == -1 && *beta == 1;          \
    return right && has(h, a, n, sizeof(type)) && has(h, c, n, sizeof(type))                                 \
               ? kernel(h, cube(n), sizeof(type) == 8 ? 20 : 40)                                             \
               : bad;                                                                                        \
  }                                                                                                          \
  extern "C" int TYPED_BLAS(letter, trsm)(Handle * h, int side, int part, int as, int diagonal, int m,       \
                                          int n, type const* alpha, type const* a, int lda, type* b,         \
                                          int ldb) {                                                         \
    bool const right = m == n && lda == n && ldb == n && diagonal == non_unit_ && *alpha == 1;               \
    bool const cholesky = side != left_ && part == lower_ && as == t_,                                       \
               lu = (side == left_) == (part == lower_) && as == n_;                                         \
    bool const there = has(h, a, n, sizeof(type)) && has(h, b, n, sizeof(type));                             \
    return right && there && (cholesky || lu)                                                                \
               ? kernel(h, cube(n), (cholesky ? 10 : 8) * (sizeof(type) == 8 ? 1 : 2))                       \
               : bad;                                                                                        \
  }
#ifdef FAKE_CUDA
PRODUCTS(D, double)
PRODUCTS(S, float)
#else
PRODUCTS(d, double)
PRODUCTS(s, float)
#endif
