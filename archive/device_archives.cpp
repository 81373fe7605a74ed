#include "archive/device_archives.hpp"

#include <fmt/format.h>

#include "archive/archives.hpp"

namespace ke {
namespace {

/// Labels like "512, 1 to 2" for each combination of bins, last axis fastest, in order of cells.
std::vector<std::string> cell_labels(const Archive& archive) {
  std::vector<std::string> labels = {""};
  for (const AxisShape& axis : axes_of(archive)) {
    std::vector<std::string> longer;
    for (const std::string& label : labels) {
      for (const std::string& bin : axis.bins) {
        longer.push_back(label.empty() ? bin : label + ", " + bin);
      }
    }
    labels = std::move(longer);
  }
  labels.resize(archive.cells());
  return labels;
}

}  // namespace

DeviceArchives::DeviceArchives(std::vector<Part> parts, std::vector<std::size_t> device_of_island)
    : parts_(std::move(parts)), device_of_island_(std::move(device_of_island)) {}

std::size_t DeviceArchives::device_of(const Candidate& candidate) const {
  return device_of_island_.at(static_cast<std::size_t>(candidate.id.island));
}

std::size_t DeviceArchives::first_cell(std::size_t device) const {
  std::size_t cell = 0;
  for (std::size_t d = 0; d < device; ++d) cell += parts_[d].archive->cells();
  return cell;
}

OfferResult DeviceArchives::offer(const CandidatePtr& candidate, Decision decision) {
  const std::size_t device = device_of(*candidate);
  OfferResult result = parts_[device].archive->offer(candidate, decision);
  result.cell += first_cell(device);
  if (has_entered(result.status)) gather();
  return result;
}

void DeviceArchives::gather() {
  elites_.clear();
  for (std::size_t d = 0; d < parts_.size(); ++d) {
    for (const Elite& elite : parts_[d].archive->elites()) {
      elites_.push_back({first_cell(d) + elite.cell, elite.candidate});
    }
  }
}

std::size_t DeviceArchives::cells() const { return first_cell(parts_.size()); }

std::size_t DeviceArchives::cell_of(const Candidate& candidate) const {
  const std::size_t device = device_of(candidate);
  return first_cell(device) + parts_[device].archive->cell_of(candidate);
}

std::size_t DeviceArchives::clipped() const {
  std::size_t count = 0;
  for (const Part& part : parts_) count += part.archive->clipped();
  return count;
}

AxisShape DeviceArchives::shape() const {
  AxisShape shape{"device", "", {}};
  for (const Part& part : parts_) {
    for (const std::string& label : cell_labels(*part.archive)) {
      shape.bins.push_back(fmt::format("{}: {}", part.device, label));
    }
  }
  return shape;
}

}  // namespace ke
