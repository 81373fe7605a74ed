#include "operators/llm/child.hpp"

#include "operators/llm/patch.hpp"
#include "operators/llm/rewrite.hpp"

namespace ke {
namespace {

constexpr std::string_view entry_point = "kernel";

/// Knob values and flags of the base, where the child declares them alike.
Kernel inherit(Kernel child, const KernelSpace& space, const Kernel& base) {
  Kernel inherited = child;
  for (const Knob& knob : space.knobs) {
    const auto had = base.knobs.find(knob.name);
    if (had == base.knobs.end() || knob.index_of(had->second) == knob.values.size()) continue;
    inherited.knobs[knob.name] = had->second;
  }
  if (base.flags.size() == child.flags.size()) inherited.flags = base.flags;
  return space.admits(inherited) ? inherited : child;
}

Edit<std::string> new_source(std::string_view reply, AnswerFormat format,
                             const EditableSource& base) {
  return format == AnswerFormat::diff ? patch_by_reply(base, reply)
                                      : rewrite_by_reply(base, entry_point, reply);
}

Child kernel_of_source(std::string source, const Kernel& base) {
  const auto space = parse_kernel_space(base.name, source);
  if (!space) return NoChild{"declarations", space.error().message};
  Kernel child = space->defaults(base.name, std::move(source));
  child.language = base.language;
  child.launch_plan = base.launch_plan;
  if (!space->admits(child)) {
    return NoChild{"declarations", "the defaults of the knobs break a @require line"};
  }
  return inherit(std::move(child), *space, base);
}

}  // namespace

Child child_of(std::string_view reply, AnswerFormat format, const Kernel& base) {
  const auto source = editable_source(base.name, base.source);
  if (!source) return NoChild{"base_markers", source.error().message};
  Edit<std::string> edit = new_source(reply, format, *source);
  if (auto* failure = std::get_if<EditFailure>(&edit)) {
    return NoChild{std::move(failure->reason), std::move(failure->message)};
  }
  return kernel_of_source(std::get<std::string>(std::move(edit)), base);
}

}  // namespace ke
