#include "fitness/host/cpu_options.hpp"

namespace ke {

CpuOptions CpuOptions::read(Params& device) {
  CpuOptions options;
  options.compile_threads = device.integer(
      "compile_threads", 0, {0, 256}, "compilers at a time; 0 = all processors but the lane's");
  options.lane_core = device.integer("lane_core", -1, {-1, 4095},
                                     "processor that times kernels; -1 = the last one");
  options.sandbox = device.choice("sandbox", "auto", {"auto", "namespaces", "landlock", "rlimits"},
                                  "walls around compilers and kernels; auto = the strongest");
  options.cold = device.choice("cache", "llc", {"llc", "cold"},
                               "where tensors lie when a timed call begins: as filling them left "
                               "them in the last-level cache, or in memory alone") == "cold";
  options.compiler = device.text("compiler", "/usr/bin/g++", "path of g++");
  options.call_limit_ms = device.duration_ms("call_limit", "2s", {10, 600'000},
                                             "time for one call, beside 20 times the opponent's");
  options.load_limit_ms =
      device.duration_ms("load_limit", "2s", {10, 600'000}, "time for loading a kernel's library");
  CpuRules& rules = options.rules;
  rules.screen.quads = static_cast<int>(
      device.integer("screen_quads", 4, {4, 1000}, "kept quads of a screen, over all workloads"));
  rules.duel_quads = static_cast<int>(device.integer(
      "duel_quads", 12, {4, 1000}, "kept quads of a duel's cluster, over all workloads"));
  rules.duel.prior.spread =
      device.real("spread", 0.006, {0, 1}, "expected spread between clusters, as a fraction");
  rules.verify_clusters = static_cast<int>(device.integer(
      "verify_clusters", 8, {2, 1000}, "pairs of fresh processes of a verification"));
  rules.verify_ns =
      1'000'000 * device.duration_ms("verify_time", "4s", {100, 3'600'000},
                                     "goal for timing one opponent of a verification");
  rules.floor_share = device.real("floor_share", 0.9, {0, 1},
                                  "faster than this share of the memory floor is measured again");
  return options;
}

}  // namespace ke
