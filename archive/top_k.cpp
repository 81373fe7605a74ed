#include "archive/top_k.hpp"

#include <algorithm>
#include <cmath>

#include "archive/acceptance.hpp"
#include "archive/archives.hpp"
#include "core/result.hpp"

namespace ke {
namespace {

bool weaker_elite(const Elite& a, const Elite& b) {
  const double x = a.candidate->evaluation.objective;
  const double y = b.candidate->evaluation.objective;
  return x != y ? x < y : b.candidate->id < a.candidate->id;
}

}  // namespace

TopKArchive::TopKArchive(std::size_t k, std::shared_ptr<const AcceptanceRule> rule)
    : k_(k), rule_(rule ? std::move(rule) : std::make_shared<PointRule>()) {
  KE_CHECK(k > 0);
}

std::size_t TopKArchive::cell_of(const Candidate& candidate) const {
  const auto& list = elites_.list();
  for (const Elite& elite : list) {
    if (same_kernel(candidate, *elite.candidate)) return elite.cell;
  }
  if (list.size() < k_) return list.size();
  return std::min_element(list.begin(), list.end(), weaker_elite)->cell;
}

bool TopKArchive::may_enter(const Candidate& candidate) const {
  return ke::may_enter(*rule_, candidate, elites_.at(cell_of(candidate)).get());
}

OfferResult TopKArchive::offer(const CandidatePtr& candidate, Decision decision) {
  KE_CHECK(candidate->evaluation.verdict == Verdict::ok);
  OfferResult result;
  result.cell = cell_of(*candidate);
  offer_to_cell(elites_, *rule_, candidate, decision, result);
  return result;
}

std::unique_ptr<Archive> make_top_k_archive(Params& params, const ArchiveContext& context) {
  const auto k = params.integer("k", 10, {1, 100'000}, "places");
  return std::make_unique<TopKArchive>(static_cast<std::size_t>(k), context.rule);
}

}  // namespace ke
