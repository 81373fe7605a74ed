#pragma once
// Calls a candidate's function and checks what the System V calling convention promises its caller.

#include <cstdint>

namespace ke {

/// Calls `function` with 16 integer arguments. Registers that a function must keep hold values made
/// of `seed` meanwhile. Returns 0, or 1 + the index in wire::kept_by_calls of the first one that
/// the function left changed.
extern "C" unsigned ke_checked_call(void (*function)(), const std::uint64_t* arguments,
                                    std::uint64_t seed);

/// Whether the x87 register stack, which MMX shares, holds something: a function must leave it
/// empty.
inline bool x87_in_use() {
  struct {
    std::uint32_t control, status, tags, others[4];
  } environment;
  asm volatile("fnstenv %0" : "=m"(environment));
  return (environment.tags & 0xffff) != 0xffff;
}

}  // namespace ke
