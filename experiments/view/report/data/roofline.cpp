#include "experiments/view/report/data/roofline.hpp"

#include "experiments/view/report/json_number.hpp"

namespace ke {
namespace {

constexpr double ns_per_s = 1e9;

Json roofs_of(const RooflineWorkload& workload) {
  return {{"name", workload.cost.workload},
          {"role", workload.cost.role},
          {"bytes", workload.cost.bytes},
          {"flops", workload.cost.flops},
          {"bytes_per_s",
           workload.bytes_per_ns > 0 ? number(workload.bytes_per_ns * ns_per_s) : Json(nullptr)}};
}

}  // namespace

Json roofline_json(const Roofline& roofline) {
  if (roofline.workloads.empty()) return nullptr;
  std::vector<RooflinePoint> seen, verified;
  for (const RooflinePoint& p : roofline.points) (p.candidate < 0 ? verified : seen).push_back(p);
  using Point = RooflinePoint;
  Json json;
  json["workloads"] = column(roofline.workloads, roofs_of);
  json["ceilings"] = column(roofline.ceilings, [](const Ceiling& c) {
    return Json{{"name", c.name}, {"flops_per_s", number(c.flops_per_s)}};
  });
  json["seen"] = {{"workload", column(seen, [](const Point& p) { return p.workload; })},
                  {"candidate", column(seen, [](const Point& p) { return p.candidate; })},
                  {"ns", column(seen, [](const Point& p) { return number(p.ns); })}};
  json["verified"] = column(verified, [](const Point& p) {
    return Json{{"workload", p.workload}, {"kernel", p.kernel}, {"ns", number(p.ns)}};
  });
  return json;
}

}  // namespace ke
