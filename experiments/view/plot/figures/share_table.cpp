#include "experiments/view/plot/figures/share_table.hpp"

namespace ke {

CsvTable share_table(const ShareCurve& curve, const std::string& threshold) {
  CsvTable table({"arm", threshold, "share"});
  for (const auto& [arm, shares] : curve.shares) {
    for (std::size_t i = 0; i < shares.size(); ++i) {
      table.add({arm, csv_number(curve.thresholds[i]), csv_number(shares[i])});
    }
  }
  return table;
}

}  // namespace ke
