#include "archive/archives.hpp"

#include "archive/cvt.hpp"
#include "archive/deep.hpp"
#include "archive/device_archives.hpp"
#include "archive/grid.hpp"
#include "archive/specialist_archive.hpp"

namespace ke {

const std::vector<ArchiveKind>& archive_kinds() {
  static const std::vector<ArchiveKind> kinds = {
#define KE_ARCHIVE(name, doc) {#name, doc, make_##name##_archive},
#include "archive/archives.def"
#undef KE_ARCHIVE
  };
  return kinds;
}

std::unique_ptr<Archive> read_archive(Params& params, const ArchiveContext& context) {
  std::vector<std::string> names;
  for (const ArchiveKind& kind : archive_kinds()) names.emplace_back(kind.name);
  const std::string name = params.choice("kind", "grid", names, "which archive keeps the elites");
  for (const ArchiveKind& kind : archive_kinds()) {
    if (kind.name == name) return kind.make(params, context);
  }
  return make_grid_archive(params, context);
}

std::vector<AxisShape> axes_of(const Archive& archive) {
  std::vector<AxisShape> shapes;
  if (const auto* grid = dynamic_cast<const GridArchive*>(&archive)) {
    for (const Axis& axis : grid->axes()) shapes.push_back(axis.shape());
  } else if (const auto* cvt = dynamic_cast<const CvtArchive*>(&archive)) {
    shapes.push_back(cvt->shape());
  } else if (const auto* deep = dynamic_cast<const DeepArchive*>(&archive)) {
    shapes = deep->shapes();
  } else if (const auto* devices = dynamic_cast<const DeviceArchives*>(&archive)) {
    shapes.push_back(devices->shape());
  } else if (const auto* parts = dynamic_cast<const SpecialistArchive*>(&archive)) {
    shapes = axes_of(parts->generalists());
    if (!shapes.empty()) shapes.insert(shapes.begin(), SpecialistArchive::axis());
  }
  return shapes;
}

}  // namespace ke
