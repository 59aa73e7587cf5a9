// Large arrays of the program stand in huge pages. A simulation reads arrays of hundreds of megabytes in the
// order of simulated time, hardly ever two places near each other: with pages of 4 KiB most of these reads
// also miss the table of pages. Linux gives huge pages where they are asked for ("madvise", the usual setting
// of /sys/kernel/mm/transparent_hugepage/enabled); elsewhere, and where there are none left, all works as
// without.

#include <malloc.h>
#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace {
constexpr std::size_t huge_page = std::size_t{2} << 20U;

// Each of them is mapped by itself and given back to the system when it is freed. (By itself the C library
// raises the size from which it does so up to 32 MiB, and what growing arrays leave behind stays with the
// program.)
[[maybe_unused]] bool const mapped_by_itself = mallopt(M_MMAP_THRESHOLD, static_cast<int>(huge_page)) == 1;
}  // namespace

// One with `new` goes with the library's `delete`, which calls `free`.
void* operator new(std::size_t size) {
  if (size < huge_page) {
    if (void* const memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
  }
  void* const memory = std::aligned_alloc(huge_page, (size + huge_page - 1) / huge_page * huge_page);
  if (memory == nullptr) throw std::bad_alloc();
  madvise(memory, size, MADV_HUGEPAGE);
  return memory;
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
