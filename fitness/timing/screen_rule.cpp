#include "fitness/timing/screen_rule.hpp"

#include "core/portable_math.hpp"
#include "core/result.hpp"

namespace ke {

bool may_duel(const ClusterEstimate& screen, double incumbent_log_ratio, const ScreenRule& rule) {
  KE_CHECK(rule.slack >= 0.0);
  return screen.log_ratio >= incumbent_log_ratio - portable_log(1.0 + rule.slack);
}

}  // namespace ke
