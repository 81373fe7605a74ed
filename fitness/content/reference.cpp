#include "fitness/content/reference.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

namespace ke {

Result<Reference> Reference::load(const std::string& library) {
  Reference reference;
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Error{Failure::io, fmt::format("reference: {}", dlerror())};
  reference.library_ = std::shared_ptr<void>(handle, [](void* open) { dlclose(open); });
  reference.function_ = dlsym(handle, "reference");
  if (reference.function_ == nullptr) {
    return Error{Failure::config, fmt::format("{} exports no function `reference`", library)};
  }
  return reference;
}

Result<Reference> Reference::build(const Task& task, const Compile& compile) {
  KE_TRY(const std::string library, compile(task.reference_source));
  return load(library);
}

void Reference::operator()(std::span<void* const> tensors,
                           std::span<const std::int64_t> axes) const {
  KE_CHECK(tensors.size() + axes.size() <= max_arguments);
  std::array<std::size_t, max_arguments> a{};
  std::size_t count = 0;
  for (void* const tensor : tensors) a[count++] = reinterpret_cast<std::size_t>(tensor);
  for (const std::int64_t axis : axes) a[count++] = static_cast<std::size_t>(axis);
  // Pointers and sizes are all of class INTEGER in the System V x86-64 convention (and in AAPCS64):
  // six (eight) in registers, the rest in order on the stack, which the caller cleans up. So one
  // call with 16 words serves every signature: the callee does not look at those it does not
  // declare.
  using Word = std::size_t;
  using Function = void (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                            Word, Word, Word, Word);
  reinterpret_cast<Function>(function_)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
                                        a[10], a[11], a[12], a[13], a[14], a[15]);
}

}  // namespace ke
