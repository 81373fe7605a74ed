#pragma once
// A candidate: the result of one slot of one step, and its evaluation.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/evaluation.hpp"
#include "core/kernel.hpp"

namespace ke {

/// A candidate's position in logical time. Ordered by (step, island, slot), the commit order.
struct LogicalId {
  std::int64_t step = 0;
  std::int64_t island = 0;
  std::int64_t slot = 0;

  /// The id as text: step, island and slot, "12.0.0".
  std::string text() const {
    return std::to_string(step) + "." + std::to_string(island) + "." + std::to_string(slot);
  }
  friend auto operator<=>(const LogicalId&, const LogicalId&) = default;
  KE_CODED(step, island, slot)
};

/// Hash for tables keyed by candidate.
struct HashLogicalId {
  std::size_t operator()(const LogicalId& id) const noexcept {
    // Fibonacci hashing: its multiplier spreads neighbouring ids.
    const auto place = static_cast<std::uint64_t>((id.step << 20) ^ (id.island << 10) ^ id.slot);
    return place * 0x9E3779B97F4A7C15u;
  }
};

enum class ParentRole { parent, inspiration, failed };
constexpr ParentRole last_value(ParentRole) { return ParentRole::failed; }
constexpr std::string_view to_string(ParentRole role) {
  constexpr std::string_view names[] = {"parent", "inspiration", "failed"};
  return names[static_cast<std::size_t>(role)];
}

/// A parent's id and role, as the lineage stores it.
struct Ancestor {
  LogicalId id;
  ParentRole role = ParentRole::parent;
  KE_CODED(id, role)
};

/// The operator's result: a kernel, no child (with a reason), or a copy of an earlier kernel.
enum class OutcomeKind { kernel, no_child, duplicate };
constexpr OutcomeKind last_value(OutcomeKind) { return OutcomeKind::duplicate; }
constexpr std::string_view to_string(OutcomeKind kind) {
  constexpr std::string_view names[] = {"kernel", "no_child", "duplicate"};
  return names[static_cast<std::size_t>(kind)];
}

struct KernelSpace;

/// Immutable once committed; shared by archives, parents and reports.
struct Candidate {
  LogicalId id;
  std::string operator_name;
  std::vector<Ancestor> ancestors;
  OutcomeKind outcome = OutcomeKind::kernel;
  std::string no_child_reason;
  Kernel kernel;
  std::shared_ptr<const KernelSpace> space;  ///< declarations in the kernel's source; null = none
  Digest genome_hash;
  Evaluation evaluation;
  std::optional<LogicalId> duplicate_of;
  std::string duplicate_kind;  ///< "genome" | "build"
};

using CandidatePtr = std::shared_ptr<const Candidate>;

/// A parent's candidate and role.
struct Parent {
  CandidatePtr candidate;
  ParentRole role = ParentRole::parent;
};

}  // namespace ke
