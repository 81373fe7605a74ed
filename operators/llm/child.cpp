#include "operators/llm/child.hpp"

#include "operators/llm/patch.hpp"

namespace ke {
namespace {

/// Copies knob values and flags from the base where the child declares the same.
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
                             const EditableSource& base, const Language& language) {
  if (format == AnswerFormat::rewrite) {
    return rewrite_by_reply(base, whole_kernel(language, base.text), reply);
  }
  auto patched = patch_by_reply(base, reply);
  // Kernels of functions and landscapes define nothing.
  const bool base_is_whole = missing_entry(language, base.text, base.text).empty();
  const auto* source = std::get_if<std::string>(&patched);
  if (source != nullptr && base_is_whole) {
    const std::string missing = missing_entry(language, *source, base.text);
    if (!missing.empty()) return failure("no_entry_point", "with that change " + missing);
  }
  return patched;
}

/// The base's file name; the language's own if the base has another language.
std::string name_of(const Kernel& base, const Language& language) {
  return base.language == language.kernels || language.file.empty() ? base.name : language.file;
}

Child kernel_of_source(std::string source, const Kernel& base, const Language& language) {
  const std::string name = name_of(base, language);
  const auto space = parse_kernel_space(name, source);
  if (!space) return NoChild{"declarations", space.error().message};
  Kernel child = space->defaults(name, std::move(source));
  child.language = language.kernels;
  child.launch_plan = base.launch_plan;
  if (!space->admits(child)) {
    return NoChild{"declarations", "the defaults of the knobs break a @require line"};
  }
  return inherit(std::move(child), *space, base);
}

}  // namespace

Child child_of(std::string_view reply, AnswerFormat format, const Kernel& base,
               const Language& language) {
  const auto source = editable_source(base.name, base.source);
  if (!source) return NoChild{"base_markers", source.error().message};
  Edit<std::string> edit = new_source(reply, format, *source, language);
  if (auto* failed = std::get_if<EditFailure>(&edit)) {
    return NoChild{std::move(failed->reason), std::move(failed->message)};
  }
  return kernel_of_source(std::get<std::string>(std::move(edit)), base, language);
}

}  // namespace ke
