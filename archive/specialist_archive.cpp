#include "archive/specialist_archive.hpp"

#include "core/result.hpp"
#include "core/validation.hpp"

namespace ke {

SpecialistArchive::SpecialistArchive(std::unique_ptr<Archive> generalists,
                                     std::unique_ptr<Archive> specialists)
    : generalists_(std::move(generalists)), specialists_(std::move(specialists)) {
  KE_CHECK(generalists_->cells() > 0 && generalists_->cells() == specialists_->cells());
}

AxisShape SpecialistArchive::axis() { return {"validation", "", {"generalist", "specialist"}}; }

Archive& SpecialistArchive::part_of(const Candidate& candidate) const {
  return is_specialist(candidate.evaluation) ? *specialists_ : *generalists_;
}

std::size_t SpecialistArchive::first_cell(const Candidate& candidate) const {
  return is_specialist(candidate.evaluation) ? generalists_->cells() : 0;
}

OfferResult SpecialistArchive::offer(const CandidatePtr& candidate, Decision decision) {
  OfferResult result = part_of(*candidate).offer(candidate, decision);
  result.cell += first_cell(*candidate);
  if (has_entered(result.status)) gather();
  return result;
}

bool SpecialistArchive::may_enter(const Candidate& candidate) const {
  return part_of(candidate).may_enter(candidate);
}

std::size_t SpecialistArchive::cell_of(const Candidate& candidate) const {
  return first_cell(candidate) + part_of(candidate).cell_of(candidate);
}

void SpecialistArchive::gather() {
  elites_ = generalists_->elites();
  for (const Elite& elite : specialists_->elites()) {
    elites_.push_back({generalists_->cells() + elite.cell, elite.candidate});
  }
}

}  // namespace ke
