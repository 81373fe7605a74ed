#pragma once
// Candidate kernels of a dispatcher: built, timed at the deciding shapes, and reduced to a few.

#include <functional>
#include <string>
#include <vector>

#include "experiments/dispatch/choose.hpp"
#include "experiments/dispatch/kernel_pool.hpp"
#include "experiments/dispatch/known_figures.hpp"
#include "experiments/dispatch/measure.hpp"

namespace ke {

struct Contender {
  Kernel kernel;
  std::string origin;
  Digest build;
  bool prepares = false;            ///< has a function `prepare`
  std::vector<GpuCode> codes = {};  ///< of a launched kernel

  /// Name of the library's variant: "k" and the head of the genome hash.
  std::string name() const { return "k" + kernel.genome_hash().short_hex(); }
};

/// Contenders with their measurements. The first one is the anchor.
struct Contenders {
  std::vector<Contender> list;
  SpeedupTable table;                     ///< (contenders, deciding shapes); empty before timing
  std::vector<std::string> refused = {};  ///< refused kernels, with the reason
  std::vector<double> anchor_ns = {};     ///< by deciding shape; 0 = not timed

  const Contender& anchor() const { return list.front(); }
};

/// The task's mean over the deciding shapes. Those without a weight of their own weigh as the bench
/// shapes do in the mean.
ShapeMean shape_mean(const Task& task, const Contenders& timed);

/// Gathers the task's own kernels at their defaults, then those of the pool; each build once.
/// Error: the anchor does not build here.
Result<Contenders> gather(MeasuringBench& bench, const std::vector<PoolKernel>& pool);

/// Says what is measured next.
using Tell = std::function<void(const std::string&)>;

/// Fills the table: with what the runs' search measured, and with one cluster per shape that it did
/// not see. Keeps contenders that were right and timed everywhere. `stands_in`: the runs' anchor is
/// no kernel, and speedups over it are divided by those of this anchor.
Result<Contenders> screened(MeasuringBench& bench, Contenders all, const KnownFigures& known,
                            bool stands_in, const Tell& tell);

/// Compares the `most` that gain most and the first run's champion directly with the anchor, in
/// fresh processes, so that luck in the screen cannot replace the champion.
Result<Contenders> compared(MeasuringBench& bench, const Contenders& all, std::size_t most,
                            const Kernel& champion, const Tell& tell);

}  // namespace ke
