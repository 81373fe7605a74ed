#pragma once
// The table of archives: name, doc, factory.

#include <memory>
#include <span>
#include <vector>

#include "archive/axis.hpp"
#include "core/archive.hpp"
#include "core/params.hpp"
#include "core/registry.hpp"

namespace ke {

/// Inputs for building an archive besides its options.
struct ArchiveContext {
  std::shared_ptr<const AcceptanceRule> rule;  ///< null = point
  std::vector<AxisInfo> axes;                  ///< measures that the evaluator provides
};

#define KE_ARCHIVE(name, doc) \
  std::unique_ptr<Archive> make_##name##_archive(Params& params, const ArchiveContext& context);
#include "archive/archives.def"
#undef KE_ARCHIVE

using ArchiveFactory = std::unique_ptr<Archive> (*)(Params&, const ArchiveContext&);

/// All archives, in the order of archives.def.
std::span<const Component<ArchiveFactory>> archive_kinds();

/// Reads `kind` (grid by default) and that archive's options. Errors go to the log.
std::unique_ptr<Archive> read_archive(Params& params, const ArchiveContext& context);

/// Axes of an archive for SqliteStore::describe_archive; empty when it has none.
std::vector<AxisShape> axes_of(const Archive& archive);

}  // namespace ke
