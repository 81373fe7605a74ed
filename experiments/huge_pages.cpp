// Replaces operator new of the program: large memory is asked for in huge pages. A judge fills and
// drops hundreds of megabytes of contents; handed out page by page, they cost it half of its time
// in a virtual machine. Kernels' tensors are not affected: they lie in memory that processes share.

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace ke {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t large = 2 * huge_page;

/// Null when there is no memory. A system without huge pages gives others.
void* take_memory(std::size_t size) {
  if (size < large || size > PTRDIFF_MAX) return std::malloc(size == 0 ? 1 : size);
  void* memory = nullptr;
  if (posix_memalign(&memory, huge_page, size) != 0) return nullptr;
  madvise(memory, size, MADV_HUGEPAGE);
  return memory;
}

}  // namespace
}  // namespace ke

void* operator new(std::size_t size) {
  for (;;) {
    if (void* memory = ke::take_memory(size)) return memory;
    const std::new_handler free_some = std::get_new_handler();
    if (free_some == nullptr) throw std::bad_alloc();
    free_some();
  }
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
