#pragma once
// A candidate: what one slot of one step proposed, and what became of it.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/evaluation.hpp"
#include "core/kernel.hpp"

namespace ke {

/// Where a candidate stands in logical time. Ordered by (step, island, slot), the commit order.
struct LogicalId {
  std::int64_t step = 0;
  std::int64_t island = 0;
  std::int64_t slot = 0;

  /// "12.0.0": step, island, slot.
  std::string text() const;
  friend auto operator<=>(const LogicalId&, const LogicalId&) = default;
  void encode(Encoder& out) const { out(step)(island)(slot); }
  void decode(Decoder& in) { in(step)(island)(slot); }
};

/// For tables keyed by candidates.
struct HashLogicalId {
  std::size_t operator()(const LogicalId& id) const noexcept {
    // Neighbouring ids get distant values; multiplier of Fibonacci hashing.
    const auto place = static_cast<std::uint64_t>((id.step << 20) ^ (id.island << 10) ^ id.slot);
    return place * 0x9E3779B97F4A7C15u;
  }
};

enum class ParentRole { parent, inspiration, failed };
constexpr ParentRole last_value(ParentRole) { return ParentRole::failed; }
std::string_view to_string(ParentRole role);

/// A parent by name, as lineage keeps it.
struct Ancestor {
  LogicalId id;
  ParentRole role = ParentRole::parent;
  void encode(Encoder& out) const { out(id)(role); }
  void decode(Decoder& in) { in(id)(role); }
};

/// What the operator gave: a kernel, no child (with a reason), or a copy of an earlier kernel.
enum class OutcomeKind { kernel, no_child, duplicate };
constexpr OutcomeKind last_value(OutcomeKind) { return OutcomeKind::duplicate; }
std::string_view to_string(OutcomeKind kind);

struct KernelSpace;

/// Immutable once committed; shared by archives, parents and reports.
struct Candidate {
  LogicalId id;
  std::string operator_name;
  std::vector<Ancestor> ancestors;
  OutcomeKind outcome = OutcomeKind::kernel;
  std::string no_child_reason;
  Kernel kernel;
  std::shared_ptr<const KernelSpace> space;  ///< what the kernel's source declares; null = nothing
  Digest genome_hash;
  Evaluation evaluation;
  std::optional<LogicalId> duplicate_of;
  std::string duplicate_kind;  ///< "genome" | "build"
};

using CandidatePtr = std::shared_ptr<const Candidate>;

/// A parent in hand.
struct Parent {
  CandidatePtr candidate;
  ParentRole role = ParentRole::parent;
};

}  // namespace ke
