#pragma once
// Converts a model's reply to a kernel.

#include <variant>

#include "operators/llm/llm_operator.hpp"

namespace ke {

using Child = std::variant<Kernel, NoChild>;

/// The kernel of a reply, or the reason why it is unusable: those of find_source and apply_blocks,
/// `no_entry_point` when the changed source is no complete kernel of the language, or
/// `declarations` when the source's @knob, @require or @flags lines are invalid or its defaults
/// violate its constraints.
Child child_of(std::string_view reply, AnswerFormat format, const Kernel& base,
               const Language& language);

}  // namespace ke
