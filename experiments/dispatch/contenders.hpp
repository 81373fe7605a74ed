#pragma once
// Kernels that a dispatcher may hold: built, timed at the shapes that decide, and cut down to few.

#include <optional>
#include <string>
#include <vector>

#include "experiments/dispatch/kernel_pool.hpp"
#include "experiments/dispatch/measure.hpp"

namespace ke {

struct Contender {
  Kernel kernel;
  std::string origin;
  Digest build;
  bool prepares = false;             ///< has a function `prepare`
  std::optional<GpuCode> code = {};  ///< for this GPU

  /// As a variant of a library: "k" and the head of its genome hash.
  std::string name() const { return "k" + kernel.genome_hash().short_hex(); }
};

/// Contenders with what was measured of them. The first one is the anchor.
struct Contenders {
  std::vector<Contender> list;
  SpeedupTable table;  ///< (contenders, shapes that decide); empty before they were timed
  std::vector<std::string> refused = {};  ///< kernels that fell out, and why

  const Contender& anchor() const { return list.front(); }
};

/// The task's own kernels at their defaults, then those of the pool; each build once. Error: the
/// anchor does not build here.
Result<Contenders> gather(MeasuringBench& bench, const std::vector<PoolKernel>& pool);

/// One cluster a shape for each, and those alone that were right and timed everywhere.
Result<Contenders> screened(MeasuringBench& bench, Contenders all);

/// The anchor, the `most` that gain most and the champion of the first run, measured again in fresh
/// processes: a screen's luck shall not put another kernel in the champion's place.
Result<Contenders> verified(MeasuringBench& bench, const Contenders& all, std::size_t most,
                            const Kernel& champion);

}  // namespace ke
