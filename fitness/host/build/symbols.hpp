#pragma once
// Library symbols that a candidate may use.

#include <string_view>

namespace ke {

/// Whether an undefined symbol is on the allow-list (see check_object).
bool is_allowed_symbol(std::string_view name);

/// Whether a symbol is one of the vendor's libraries that tasks with `libraries: allowed` admit:
/// the C interface of BLAS, which OpenBLAS defines.
bool is_vendor_symbol(std::string_view name);

/// Whether a symbol belongs to a sanitizer's runtime.
bool is_sanitizer_symbol(std::string_view name);

/// The -l name of the library that defines `name` (`loader`: the dynamic loader); empty when the
/// linker itself provides it.
std::string_view library_of(std::string_view name);

/// The header by which a source came to a symbol that is not allowed; "" where none is known.
std::string_view header_of_symbol(std::string_view name);

}  // namespace ke
