#include "archive/archives.hpp"
#include "archive/deep.hpp"

namespace ke {

std::unique_ptr<Archive> make_deep_grid_archive(Params& params, const ArchiveContext& context) {
  const auto axes = read_grid_axes(params, context.axes);
  const std::int64_t depth = params.integer("depth", 4, {1, 1000}, "elites of one cell");
  const Victim victim =
      params.choice("replace", "random", {"random", "worst"},
                    "whom a newcomer meets in a full cell: anybody, or the weakest by the rule") ==
              "random"
          ? Victim::random
          : Victim::worst;
  std::vector<AxisShape> shapes;
  for (const Axis& axis : axes) shapes.push_back(axis.shape());
  shapes.push_back(axis_of_places(static_cast<std::size_t>(depth)));
  return std::make_unique<DeepArchive>(
      cells_on(axes), static_cast<std::size_t>(depth), victim,
      [axes](const Candidate& candidate) { return place_on(axes, candidate); }, context.rule,
      std::move(shapes));
}

}  // namespace ke
