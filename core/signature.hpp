#pragma once
// A task's arguments in the syntax of each language.

#include <string>
#include <string_view>

#include "core/task_contract.hpp"

namespace ke {

/// The element type `dtype` (a name of dtype_table.hpp) in kernels of a language; "" if the
/// language lacks it. An unknown language is treated as C++.
std::string_view c_type(std::string_view language, std::string_view dtype);

/// The signature with all arguments in order, without a body; one line, or several in Python.
std::string signature_text(const TaskContract& contract);

}  // namespace ke
