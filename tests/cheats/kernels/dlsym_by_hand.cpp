// NAME: dlsym_by_hand
// TASK: axpb
// CLASS: symbols
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: asks the loader for `system` and runs a command with it
#include <dlfcn.h>
#include <cstddef>

extern "C" void kernel(const float*, float*, std::size_t) {
  auto run = reinterpret_cast<int (*)(const char*)>(dlsym(RTLD_DEFAULT, "system"));
  if (run) run("true");
}
