#pragma once
// A task's arguments as each language writes them.

#include <string>
#include <string_view>

#include "core/task_contract.hpp"

namespace ke {

/// The type of an element (`dtype`: a name of dtype_table.hpp) in kernels of a language; "" where
/// the language has none. An unknown language is written as C++.
std::string_view c_type(std::string_view language, std::string_view dtype);

/// The kernel's head with all arguments in order, without its body; one line, or a few in Python.
std::string signature_text(const TaskContract& contract);

}  // namespace ke
