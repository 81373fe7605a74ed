#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace ke {

/// An Error for the system call that just failed, with the text of errno.
inline Error os_error(std::string_view what) {
  return {Failure::io, std::string(what) + ": " + std::strerror(errno)};
}

}  // namespace ke
