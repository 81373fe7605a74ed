#include "archive/top_k.hpp"

#include <algorithm>
#include <cmath>

#include "archive/acceptance.hpp"
#include "archive/archives.hpp"
#include "core/result.hpp"

namespace ke {
namespace {

bool weaker(const Elite& a, const Elite& b) {
  const double x = a.candidate->evaluation.objective;
  const double y = b.candidate->evaluation.objective;
  return x != y ? x < y : b.candidate->id < a.candidate->id;
}

bool same_kernel(const Candidate& a, const Candidate& b) {
  const Digest& build = a.evaluation.build_hash;
  return a.id == b.id || (!build.is_zero() && build == b.evaluation.build_hash);
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
  return std::min_element(list.begin(), list.end(), weaker)->cell;
}

AddResult TopKArchive::add(const CandidatePtr& candidate, Decision decision) {
  KE_CHECK(candidate->evaluation.verdict == Verdict::ok);
  const double objective = candidate->evaluation.objective;
  AddResult result;
  result.cell = cell_of(*candidate);
  result.incumbent = elites_.at(result.cell);
  if (std::isnan(objective)) return result;
  result.gain = objective - (result.incumbent ? result.incumbent->evaluation.objective : 0);
  result.status = result.incumbent ? judge(*rule_, *candidate, *result.incumbent, decision)
                                   : Addition::new_cell;
  if (result.status == Addition::new_cell || result.status == Addition::improved) {
    elites_.put(result.cell, candidate);
  }
  return result;
}

std::unique_ptr<Archive> make_top_k_archive(Params& params, const ArchiveContext& context) {
  const auto k = params.integer("k", 10, {1, 100'000}, "places");
  return std::make_unique<TopKArchive>(static_cast<std::size_t>(k), context.rule);
}

}  // namespace ke
