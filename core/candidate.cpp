#include "core/candidate.hpp"

#include <fmt/format.h>

namespace ke {

std::string LogicalId::text() const { return fmt::format("{}.{}.{}", step, island, slot); }

}  // namespace ke
