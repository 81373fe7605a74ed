#pragma once
// What a compiled OpenCL program may contain, read from the libraries that PoCL packs into it.

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
  std::string path;  ///< PoCL's own: "/softmax/64-1-1-goffs0-smallgrid/softmax.so"; "" = unknown
  std::string_view bytes;  ///< an ELF file
};

/// The libraries in a program's binary, in its order.
std::vector<ProgramLibrary> libraries_in(std::string_view binary);

/// Reasons, in this order: missing_code (no library), damaged_object, forbidden_symbol (outside of
/// what a C++ kernel may call), static_constructor (code that would run while loading).
std::optional<ObjectProblem> check_program(std::string_view binary);

/// SHA-256 of the code and data of all libraries, whatever their order. Error: a damaged one.
Result<Digest> program_hash(std::string_view binary);

}  // namespace ke::opencl
