#pragma once
// Combines one archive per device into one; the cells of the devices follow one another.

#include <memory>
#include <string>
#include <vector>

#include "archive/axis.hpp"
#include "core/archive.hpp"

namespace ke {

/// Kernels of different devices never compete: a candidate belongs to its island's device.
class DeviceArchives final : public Archive {
 public:
  struct Part {
    std::string device;
    std::unique_ptr<Archive> archive;  ///< with a bounded number of cells
  };
  /// `device_of_island`: per island, an index into `parts`.
  DeviceArchives(std::vector<Part> parts, std::vector<std::size_t> device_of_island);

  OfferResult offer(const CandidatePtr& candidate, Decision decision = Decision::none) override;
  bool may_enter(const Candidate& candidate) const override {
    return parts_[device_of(candidate)].archive->may_enter(candidate);
  }
  const std::vector<Elite>& elites() const override { return elites_; }
  std::size_t cells() const override;
  std::size_t cell_of(const Candidate& candidate) const override;
  std::size_t clipped() const override;

  /// One axis with a bin per cell, since the devices' axes differ. O(cells).
  AxisShape shape() const;

 private:
  std::size_t device_of(const Candidate& candidate) const;
  std::size_t first_cell(std::size_t device) const;
  void gather();

  std::vector<Part> parts_;
  std::vector<std::size_t> device_of_island_;
  std::vector<Elite> elites_;
};

}  // namespace ke
