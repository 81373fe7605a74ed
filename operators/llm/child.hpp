#pragma once
// From a model's reply to a kernel.

#include <variant>

#include "operators/llm/llm_operator.hpp"

namespace ke {

using Child = std::variant<Kernel, NoChild>;

/// The kernel of a reply, or what is wrong with the reply: the reasons of read_reply and
/// apply_patch, `unchanged`, or `declarations` when the source's @knob, @require or @flags lines
/// cannot be read or its defaults break its constraints.
Child child_of(std::string_view reply, AnswerFormat format, const Kernel& base);

}  // namespace ke
