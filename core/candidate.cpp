#include "core/candidate.hpp"

#include <fmt/format.h>

namespace ke {

std::string LogicalId::text() const { return fmt::format("{}.{}.{}", step, island, slot); }

std::string_view to_string(ParentRole role) {
  switch (role) {
    case ParentRole::parent: return "parent";
    case ParentRole::inspiration: return "inspiration";
    case ParentRole::failed: break;
  }
  return "failed";
}

std::string_view to_string(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::kernel: return "kernel";
    case OutcomeKind::no_child: return "no_child";
    case OutcomeKind::duplicate: break;
  }
  return "duplicate";
}

}  // namespace ke
