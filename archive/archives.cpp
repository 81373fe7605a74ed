#include "archive/archives.hpp"

#include "archive/cvt.hpp"
#include "archive/deep.hpp"
#include "archive/device_archives.hpp"
#include "archive/grid.hpp"
#include "archive/specialist_archive.hpp"

namespace ke {

namespace {

#define KE_ARCHIVE(name, doc) {#name, doc, &make_##name##_archive},
constexpr Component<ArchiveFactory> archive_table[] = {
#include "archive/archives.def"
};
#undef KE_ARCHIVE

}  // namespace

std::span<const Component<ArchiveFactory>> archive_kinds() { return archive_table; }

std::unique_ptr<Archive> read_archive(Params& params, const ArchiveContext& context) {
  const std::string name = params.choice("kind", "grid", component_names(archive_kinds()),
                                         "which archive keeps the elites");
  return find_component(archive_kinds(), name)->make(params, context);
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
