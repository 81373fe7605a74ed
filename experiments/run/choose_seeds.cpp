#include "experiments/run/choose_seeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ke {
namespace {

std::vector<Seed> all_seeds(const Subject& subject) {
  std::vector<Seed> all = subject.seeds;
  // Next to seeds of another language, the naive kernel is only a baseline.
  const Kernel& naive = subject.naive.kernel;
  const Kernel& first = all.front().kernel;
  if (!naive.source.empty() && first.language == naive.language && first.name != naive.name) {
    all.push_back(subject.naive);
  }
  return all;
}

bool is_found(const Task& task, const std::string& kernel) {
  return std::ranges::find(task.found, kernel) != task.found.end();
}

std::string names_of(const std::vector<Seed>& seeds) {
  std::string text;
  for (const Seed& seed : seeds) text += (text.empty() ? "" : ", ") + seed.kernel.name;
  return text;
}

/// Kernel to show in prompts: the naive one, which reveals least, or the anchor if the naive one is
/// of another language.
Seed to_show(const Subject& subject) {
  const Seed& anchor = subject.seeds.front();
  const Kernel& naive = subject.naive.kernel;
  const bool fits = !naive.source.empty() && naive.language == anchor.kernel.language;
  return fits ? subject.naive : anchor;
}

}  // namespace

bool starts_from_drafts(const std::vector<std::string>& kernels) {
  return kernels.size() == 1 && kernels.front() == "none";
}

Result<void> choose_seeds(const std::vector<std::string>& kernels, Subject& subject) {
  if (subject.seeds.empty()) return {};
  if (kernels.size() == 1 && kernels.front() == "all") return {};
  if (kernels.empty()) {
    if (subject.task)
      std::erase_if(subject.seeds,
                    [&](const Seed& seed) { return is_found(*subject.task, seed.kernel.name); });
    return {};
  }
  if (starts_from_drafts(kernels)) {
    subject.interface = to_show(subject);
    subject.seeds.clear();
    return {};
  }
  const std::vector<Seed> all = all_seeds(subject);
  std::vector<Seed> chosen;
  for (const std::string& name : kernels) {
    const auto found =
        std::ranges::find(all, name, [](const Seed& seed) { return seed.kernel.name; });
    if (found == all.end()) {
      return Error{Failure::config, fmt::format("kernels: task '{}' has no kernel '{}'; it has {}",
                                                subject.name, name, names_of(all))};
    }
    chosen.push_back(*found);
  }
  subject.seeds = std::move(chosen);
  return {};
}

}  // namespace ke
