#pragma once
// From a model's reply to a kernel.

#include <variant>

#include "operators/llm/llm_operator.hpp"

namespace ke {

using Child = std::variant<Kernel, NoChild>;

/// The kernel of a reply, or what is wrong with the reply: the reasons of find_source and
/// apply_blocks, `no_entry_point` when a change leaves no whole kernel of the language, or
/// `declarations` when the source's @knob, @require or @flags lines cannot be read or its defaults
/// break its constraints.
Child child_of(std::string_view reply, AnswerFormat format, const Kernel& base,
               const Language& language);

}  // namespace ke
