#pragma once
// Archives of an experiment: one per island, and the passive one that every run fills by the same
// rule.

#include <memory>

#include "core/archive.hpp"
#include "experiments/run/config/experiment.hpp"

namespace ke {

/// Makes an island's archive with the experiment's acceptance rule.
std::unique_ptr<Archive> make_archive(const Experiment& experiment, std::size_t island);

/// Makes the archive that `passive` describes. Default: a grid on the experiment's axes,
/// independent of the islands' archives, so that diversity can be compared between runs.
std::unique_ptr<Archive> make_passive_archive(const Experiment& experiment);

/// Number of distinct cells of the archive that the search uses, of its first island.
std::size_t archive_cells(const Experiment& experiment);

}  // namespace ke
