// Exports the processor extensions that a kernel's flags enable, as data. Compile with the kernel's
// flags, and with NEEDS set to the variable's name.

#include "processor.hpp"

// Yields 1 for a macro defined as 1, else 0: only then does its expansion form an argument of its
// own.
#define DISPATCH_WITH_1 0,
#define DISPATCH_SECOND(first, second, ...) second
#define DISPATCH_PICK(...) DISPATCH_SECOND(__VA_ARGS__)
#define DISPATCH_JOIN(value) DISPATCH_PICK(DISPATCH_WITH_##value 1, 0, 0)
#define DISPATCH_ON(value) DISPATCH_JOIN(value)

namespace {

constexpr bool used[] = {
#define DISPATCH_USED(macro, name) DISPATCH_ON(macro) != 0,
    DISPATCH_EXTENSIONS(DISPATCH_USED)
#undef DISPATCH_USED
};

constexpr dispatch::Extensions mask() {
  dispatch::Extensions needed = 0, bit = 1;
  for (const bool one : used) {
    if (one) needed |= bit;
    bit <<= 1;
  }
  return needed;
}

}  // namespace

extern "C" const dispatch::Extensions NEEDS;
const dispatch::Extensions NEEDS = mask();
