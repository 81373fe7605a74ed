#include "archive/archives.hpp"
#include "archive/deep.hpp"

namespace ke {

std::unique_ptr<Archive> make_score_bucket_archive(Params& params, const ArchiveContext& context) {
  AxisInfo info{.name = "objective", .unit = ""};
  info.scale = Scale::logarithmic;
  info.bins = params.integer("buckets", 16, {1, 10'000}, "of equal ratio between low and high");
  info.low = params.real("low", 0.0625, {1e-9, 1e9}, "objective where the first bucket begins");
  info.high = params.real("high", 64, {1e-9, 1e12}, "objective where the last bucket ends");
  const std::int64_t depth = params.integer("depth", 4, {1, 1000}, "kernels of one bucket");
  if (!(info.low < info.high)) {
    params.fail("high", "must be above 'low'");
    info.low = info.high / 2;
  }
  const Axis axis = Axis::divided(info);
  const auto bucket = [axis](const Candidate& candidate) {
    const Axis::Bin bin = axis.bin_of(candidate.evaluation.objective);
    return GridPlace{bin.index, bin.clipped ? 1u : 0u};
  };
  const auto places = static_cast<std::size_t>(depth);
  return std::make_unique<DeepArchive>(axis.bins(), places, Victim::worst, bucket, context.rule,
                                       std::vector{axis.shape(), axis_of_places(places)});
}

}  // namespace ke
