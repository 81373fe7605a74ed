#pragma once
// Archives of an experiment: one for each island, and the passive one that all runs fill alike.

#include <memory>

#include "core/archive.hpp"
#include "experiments/experiment.hpp"

namespace ke {

/// An island's archive with the experiment's acceptance rule.
std::unique_ptr<Archive> make_archive(const Experiment& experiment, std::size_t island);

/// What `passive` says; without it a grid on the experiment's axes, whatever the islands use, so
/// that diversity can be compared.
std::unique_ptr<Archive> make_passive_archive(const Experiment& experiment);

}  // namespace ke
