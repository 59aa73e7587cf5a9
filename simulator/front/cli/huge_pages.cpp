// Large arrays of the program are placed in huge pages. A simulation accesses arrays of hundreds of megabytes
// in the order of simulated time, with little locality: with 4 KiB pages most accesses also miss the TLB.
// Linux provides huge pages on request ("madvise", the usual setting of
// /sys/kernel/mm/transparent_hugepage/enabled); elsewhere, and if none are left, normal pages are used.

#include <malloc.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
constexpr std::size_t huge_page = std::size_t{2} << 20U;

// Each large array is mapped separately and returned to the system when freed. (By default glibc raises this
// threshold to up to 32 MiB, and memory freed by growing arrays stays with the process.)
[[maybe_unused]] bool const mapped_by_itself = mallopt(M_MMAP_THRESHOLD, static_cast<int>(huge_page)) == 1;

// Freed when the memory is exhausted: destructors of JSON values allocate, and must not fail.
std::atomic<void*> reserve{std::malloc(std::size_t{256} << 10U)};

[[noreturn]] void fail() {
  std::free(reserve.exchange(nullptr));
  throw std::bad_alloc();
}

}  // namespace

// Matches the library's `delete`, which calls `free`.
void* operator new(std::size_t size) {
  if (size < huge_page) {
    if (void* const memory = std::malloc(size)) return memory;
    fail();
  }
  void* const memory = std::aligned_alloc(huge_page, (size + huge_page - 1) / huge_page * huge_page);
  if (memory == nullptr) fail();
  madvise(memory, size, MADV_HUGEPAGE);
  return memory;
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
