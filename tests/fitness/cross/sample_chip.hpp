#pragma once

#include "fitness/cross/chip.hpp"

namespace ke::cross {

/// A chip with classes of a few instructions; one vector register is one pass of the datapath.
inline Chip sample_chip() {
  using Scale = CostRule::Scale;
  Chip chip;
  chip.refused = {"csr*", "ecall", "fence.i"};
  chip.vector_set = {"vsetvli"};
  chip.vector_bits = chip.datapath_bits = 256;
  chip.costs = {{"scalar", 1, Scale::none, 1, {"vsetvli", "add*", "c.*", "csr*", "ecall"}},
                {"load", 3, Scale::none, 1, {"lw"}},
                {"vector_memory", 2, Scale::fixed, 8, {"vl8r*"}},
                {"vector_memory", 2, Scale::grouped, 1, {"vle*"}},
                {"vector_arithmetic", 1, Scale::grouped, 1, {"v*"}}};
  return chip;
}

}  // namespace ke::cross
