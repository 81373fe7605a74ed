#include "experiments/dispatch/compose_plan.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "core/hash.hpp"
#include "experiments/dispatch/library/common/nearest_shape.hpp"
#include "experiments/run/evaluators/cpu.hpp"
#include "experiments/view/report/kernel_folder.hpp"

namespace ke {
namespace {

using KernelSet = std::set<std::size_t>;

KernelSet called(const DispatchRule& rule) {
  KernelSet kernels = {0};
  for (const auto& order : rule.orders) kernels.insert(order.front());
  return kernels;
}

DispatchShape shape_of(const Task& task, const Workload& workload, const Contenders& few,
                       std::size_t column, const std::vector<std::size_t>& order) {
  DispatchShape shape;
  shape.label = workload.label;
  shape.role = to_string(workload.role);
  shape.lengths = argument_lengths(task, workload);
  for (const std::size_t i : order) {
    shape.order.push_back(few.list[i].name());
    shape.speedups[few.list[i].name()] = few.table[i][column];
  }
  return shape;
}

DispatchDevice this_device(const MeasuringBench& bench, const Contenders& few, DispatchRule rule,
                           const std::string& date) {
  DispatchDevice device;
  device.processor = bench.processor();
  device.extensions = bench.extensions();
  device.device_class = bench.device_class();
  device.date = date;
  device.mean = bench.task().mean;
  const KernelSet kept = called(rule);
  const std::vector<Workload> shapes = deciding_workloads(bench.task());
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    std::erase_if(rule.orders[s], [&](std::size_t i) { return !kept.contains(i); });
    device.shapes.push_back(shape_of(bench.task(), shapes[s], few, s, rule.orders[s]));
  }
  rule.orders.clear();
  device.rule = std::move(rule);
  return device;
}

Result<DispatchVariant> variant_of(const Contender& contender, std::string name) {
  KE_TRY(auto arguments, genome_arguments(contender.kernel));
  DispatchVariant variant{
      std::move(name),           contender.origin,   contender.kernel.genome_hash().hex(),
      std::move(arguments),      contender.prepares, contender.kernel.source,
      contender.kernel.language, contender.codes};
  return variant;
}

/// Stands in for the naive kernel of a task that has none.
DispatchVariant refusing_variant(const std::string& task) {
  DispatchVariant variant;
  variant.name = fallback_name;
  variant.origin = no_fallback;
  variant.source = fmt::format(
      R"(#include <cstdio>
#include <cstdlib>

extern "C" void kernel() {{
  std::fputs("{}: no kernel of this library runs on this processor\n", stderr);
  std::abort();
}}
)",
      task);
  variant.genome = sha256(variant.source).hex();
  return variant;
}

/// Nothing if the library needs none.
Result<std::optional<DispatchVariant>> fallback(const MeasuringBench& bench) {
  const KernelCodes* codes = bench.codes();
  if (codes != nullptr && !codes->portable()) return std::optional<DispatchVariant>();
  KE_TRY(const Subject subject, subject_of(bench.task_ptr()));
  Contender naive{subject.naive.kernel, fmt::format("task {}, naive", subject.name), {}};
  if (naive.kernel.source.empty()) {
    return codes == nullptr ? std::optional(refusing_variant(subject.name)) : std::nullopt;
  }
  if (codes != nullptr) {
    KE_TRY(naive.codes, codes->make(naive.kernel, {}));
  }
  KE_TRY(DispatchVariant variant, variant_of(naive, std::string(fallback_name)));
  std::erase_if(variant.arguments,
                [](const std::string& argument) { return argument.starts_with("-m"); });
  return std::optional(std::move(variant));
}

}  // namespace

Result<DispatchPlan> compose_plan(const MeasuringBench& bench, const Contenders& few,
                                  const std::string& symbol, const std::string& date) {
  std::vector<std::vector<std::size_t>> lengths;
  for (const Workload& shape : deciding_workloads(bench.task())) {
    lengths.push_back(argument_lengths(bench.task(), shape));
  }
  DispatchRule rule = make_rule(few.table, shape_mean(bench.task(), few), lengths);
  DispatchPlan plan;
  plan.task = bench.task().name;
  plan.symbol = symbol;
  for (const std::size_t i : called(rule)) {
    KE_TRY(DispatchVariant variant, variant_of(few.list[i], few.list[i].name()));
    plan.variants.push_back(std::move(variant));
  }
  KE_TRY(std::optional<DispatchVariant> last, fallback(bench));
  if (last) plan.variants.push_back(*std::move(last));
  plan.devices.push_back(this_device(bench, few, std::move(rule), date));
  return plan;
}

std::vector<std::size_t> argument_lengths(const Task& task, const Workload& shape) {
  std::vector<std::size_t> lengths;
  for (const std::string& axis : task.axis_arguments) {
    lengths.push_back(static_cast<std::size_t>(shape.axes.at(axis)));
  }
  return lengths;
}

const std::string& called_at(const DispatchPlan& plan, const DispatchDevice& device,
                             const std::vector<std::size_t>& lengths) {
  std::vector<std::size_t> rows;
  for (const DispatchShape& shape : device.shapes) {
    rows.insert(rows.end(), shape.lengths.begin(), shape.lengths.end());
  }
  const std::size_t count = device.shapes.size();
  const std::size_t nearest =
      dispatch::nearest_shape(rows.data(), count, lengths.data(), lengths.size());
  const bool known = dispatch::is_known(rows.data(), count, nearest, lengths.data(), lengths.size(),
                                        device.rule.reach);
  return known ? device.shapes[nearest].order.front() : plan.anchor().name;
}

}  // namespace ke
