#pragma once
// Checks the libraries that PoCL packs into a compiled OpenCL program.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/hash.hpp"
#include "core/result.hpp"
#include "fitness/host/build/object_check.hpp"

namespace ke::opencl {

/// The machine code of one kernel at one local size.
struct ProgramLibrary {
  std::string path;  ///< PoCL's, e.g. "/softmax/64-1-1-goffs0-smallgrid/softmax.so"; "" = unknown
  std::string_view bytes;  ///< an ELF file
};

/// The libraries in a program's binary, in order.
std::vector<ProgramLibrary> libraries_in(std::string_view binary);

/// Reasons, in this order: missing_code (no library), damaged_object, forbidden_symbol (not allowed
/// in a C++ kernel either), static_constructor (code that would run while loading).
std::optional<Refusal> check_program(std::string_view binary);

/// SHA-256 of the code and data of all libraries, independent of their order. Error: a damaged one.
Result<Digest> program_hash(std::string_view binary);

}  // namespace ke::opencl
