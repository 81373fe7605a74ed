#include "archive/archives.hpp"
#include "archive/deep.hpp"

namespace ke {

std::unique_ptr<Archive> make_top_k_archive(Params& params, const ArchiveContext& context) {
  const auto k = params.integer("k", 10, {1, 100'000}, "places");
  const auto one_group = [](const Candidate&) { return GridPlace{}; };
  return std::make_unique<DeepArchive>(1, static_cast<std::size_t>(k), Victim::worst, one_group,
                                       context.rule, std::vector<AxisShape>());
}

}  // namespace ke
