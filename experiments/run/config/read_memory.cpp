#include <fmt/format.h>

#include "core/hash.hpp"
#include "experiments/run/config/read_experiment.hpp"

namespace ke {

void read_memory(Params& top, Experiment& experiment) {
  const bool listing = top.node() == nullptr;
  if (!top.has("memory") && !listing) return;  // not part of the identity of runs without memory
  Params section = top.section("memory");
  if (experiment.devices.size() > 1) {
    section.fail("", "has no place in a run on several devices: lessons are of one");
  }
  MemoryPlan& memory = experiment.memory.emplace();
  memory.snapshot = section.text("snapshot", "", "file of lessons of earlier runs: see 'export'");
  memory.sha256 = section.text("sha256", "", "SHA-256 of that file");
  memory.probability =
      section.real("probability", 1, {0, 1}, "chance that a prompt is told lessons");
  memory.lessons = section.integer("lessons", 3, {1, 16}, "how many of them at most");
  memory.tokens = section.integer("tokens", 900, {16, 100'000}, "limit of all of them together");
  memory.same_family = section.flag(
      "same_family", false, "also tell lessons of the same task and of its family, e.g. softmax1d");
  memory.exclude = section.texts("exclude", {}, "further tasks or families to tell nothing of");
  if (const Node* snapshot = section.raw("snapshot")) memory.place = snapshot->place.text();
  if (!listing && !parse_digest(memory.sha256)) {
    section.fail("sha256", fmt::format("= '{}' is not 64 hexadecimal digits", memory.sha256));
  }
}

}  // namespace ke
