#pragma once
// A landscape from a formula: 16 x 8 x 4 x 2 configurations, a third of them left out.

#include <fmt/format.h>

#include <memory>

#include "fitness/landscape/formats.hpp"
#include "fitness/landscape/landscape.hpp"

namespace ke {

/// Time 1 + (a - 11)^2 + (b - 2)^2 + c d, in ms, with three repeats of +-20 %. Configurations with
/// (a + b + c) % 3 = 0 are not recorded, and every 17th of the others fails.
inline std::shared_ptr<const Landscape> made_landscape() {
  LandscapeTable table;
  table.file = "made";
  table.parameters = {"a", "b", "c", "d"};
  const auto value = [](int number) {
    return RawValue{RawValue::Kind::integer, std::to_string(number), static_cast<double>(number)};
  };
  for (int code = 0; code < 16 * 8 * 4 * 2; ++code) {
    const int a = code / 64;
    const int b = code / 8 % 8;
    const int c = code / 2 % 4;
    const int d = code % 2;
    if ((a + b + c) % 3 == 0) continue;
    RawPoint point;
    point.place = fmt::format("point {}", code);
    point.values = {value(a), value(b), value(c), value(d)};
    if (code % 17 == 0) {
      point.verdict = Verdict::runtime_error;
      point.reason = "made to fail";
    } else {
      point.time = 1.0 + (a - 11) * (a - 11) + (b - 2) * (b - 2) + c * d;
      point.samples = {0.8 * point.time, point.time, 1.2 * point.time};
    }
    table.points.push_back(std::move(point));
  }
  auto made = Landscape::make(std::move(table), "made");
  KE_CHECK(made);
  return std::make_shared<const Landscape>(*std::move(made));
}

}  // namespace ke
