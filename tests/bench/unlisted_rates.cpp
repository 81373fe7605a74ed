// Simulates how often one screen and one verification draw a shape at which a kernel is wrong.
//
// The kernel is simulated: right at every listed shape, and wrong at a share of all others, chosen
// by a hash of the axes, or at one kind of shapes. A judgement finds it if it draws a wrong shape.
// No kernel runs, so many judgements can be drawn. Intervals are exact (Clopper-Pearson, 95 %).
//
// usage: unlisted_rates [--task configs/tasks/softmax] [--judgements 2000]

#include <fmt/core.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/program_options.hpp>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "core/codec.hpp"
#include "experiments/run/config/task_document.hpp"
#include "fitness/content/unlisted.hpp"
#include "fitness/task.hpp"

namespace {

using namespace ke;
using Wrong = std::function<bool(const Task&, const AxisLengths&)>;

struct Kind {
  std::string name;
  Wrong wrong;
};

bool any_axis(const AxisLengths& axes, const std::function<bool(std::int64_t)>& of) {
  return std::ranges::any_of(axes, [&](const auto& axis) { return of(axis.second); });
}

std::int64_t greatest(const Task& task, const std::string& axis) {
  std::int64_t most = 0;
  for (const Workload& workload : task.workloads) most = std::max(most, workload.axes.at(axis));
  return most;
}

bool by_hash(const Task& task, const AxisLengths& axes, double share, std::uint64_t salt) {
  const auto listed = [&](const Workload& workload) { return workload.axes == axes; };
  if (std::ranges::any_of(task.workloads, listed)) return false;
  Encoder text;
  text(salt)(axes);
  const auto hash = std::stoull(text.digest().hex().substr(0, 12), nullptr, 16);
  return static_cast<double>(hash) < share * 0x1p48;
}

std::vector<Kind> kinds(std::uint64_t salt) {
  std::vector<Kind> list;
  for (const double share : {0.01, 0.02, 0.05, 0.10}) {
    list.push_back(
        {fmt::format("{:.0f} % by a hash", 100 * share),
         [=](const Task& t, const AxisLengths& a) { return by_hash(t, a, share, salt); }});
  }
  list.push_back({"odd multiple of 64", [](const Task&, const AxisLengths& axes) {
                    return any_axis(axes, [](std::int64_t n) { return n > 64 && n % 128 == 64; });
                  }});
  list.push_back({"beyond 65,535, others > 3", [](const Task&, const AxisLengths& axes) {
                    return any_axis(axes, [](std::int64_t n) { return n > 65535; }) &&
                           !any_axis(axes, [](std::int64_t n) { return n <= 3; });
                  }});
  list.push_back({"more than listed", [](const Task& task, const AxisLengths& axes) {
                    return std::ranges::any_of(axes, [&](const auto& axis) {
                      return axis.second > greatest(task, axis.first);
                    });
                  }});
  return list;
}

std::string found(const Task& task, JobKind purpose, int judgements, const std::size_t kind,
                  SecretRandom& random) {
  using boost::math::binomial_distribution;
  int hits = 0;
  for (int i = 0; i < judgements; ++i) {
    const Wrong wrong = kinds(static_cast<std::uint64_t>(i))[kind].wrong;
    const auto list = unlisted_workloads(task, purpose, {}, random);
    const auto is_wrong = [&](const Workload& workload) { return wrong(task, workload.axes); };
    hits += std::ranges::any_of(list, is_wrong) ? 1 : 0;
  }
  const double n = judgements, k = hits;
  const double low = hits == 0 ? 0 : binomial_distribution<>::find_lower_bound_on_p(n, k, 0.025);
  const double high =
      hits == judgements ? 1 : binomial_distribution<>::find_upper_bound_on_p(n, k, 0.025);
  return fmt::format("{:.1f} % [{:.1f}, {:.1f}]", 100 * k / n, 100 * low, 100 * high);
}

template <typename T>
T value_of(Result<T> result) {
  if (result) return *std::move(result);
  fmt::print(stderr, "unlisted_rates: {}\n", result.error().message);
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  namespace po = boost::program_options;
  std::string folder;
  int judgements = 0;
  po::options_description options;
  options.add_options()("task", po::value(&folder)->default_value("configs/tasks/softmax"))(
      "judgements", po::value(&judgements)->default_value(2000));
  po::variables_map given;
  po::store(po::parse_command_line(argc, argv, options), given);
  po::notify(given);
  const TaskDocument document = value_of(read_task_document(folder));
  const Task task = value_of(read_task(document.node, document.files));
  SecretRandom random = value_of(SecretRandom::from_system());
  for (const JobKind purpose : {JobKind::screen, JobKind::verify}) {
    const auto begin = std::chrono::steady_clock::now();
    std::size_t shapes = 0;
    for (int i = 0; i < 100; ++i) shapes += unlisted_workloads(task, purpose, {}, random).size();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    fmt::print("{} {}: {} shapes, drawn in {:.2f} ms; found in {} judgements:\n", task.name,
               to_string(purpose), shapes / 100, took.count() / 100, judgements);
    for (std::size_t kind = 0; kind < kinds(0).size(); ++kind) {
      fmt::print("  {:28} {}\n", kinds(0)[kind].name,
                 found(task, purpose, judgements, kind, random));
    }
  }
}
