#include "core/result.hpp"

#include <cstdio>
#include <cstdlib>

namespace ke::detail {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "kernelevolve: internal error at %s:%d: %s does not hold\n", file, line,
               condition);
  std::_Exit(70);
}

}  // namespace ke::detail
