// Replaces the program's operator new: large blocks use huge pages. A judge allocates and frees
// hundreds of megabytes of contents; page faults on small pages cost it half of its time in a
// virtual machine. Kernels' tensors are not affected: they are in shared memory.

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace ke {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t large = 2 * huge_page;

/// Returns null when memory is exhausted. Uses normal pages on a system without huge pages.
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
