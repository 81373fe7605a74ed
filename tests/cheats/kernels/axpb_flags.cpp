// TASK: axpb
// CLASS: flags
// ALLOW: rejected
#include <cstddef>

// NAME: flag_builtin_crash
// FLAGS: -march=nosuchmachine
// USES: honest
// ALLOW: compile_error|rejected
// TRIES: a machine that does not exist
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: forbidden_flag_include
// FLAGS: -include /tmp/ke_canary_secret
// USES: honest
// TRIES: includes a file through the flags
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: forbidden_flag_linker
// FLAGS: -Wl,-init,kernel -Wa,--defsym,x=1 -L/tmp -I/tmp
// USES: honest
// TRIES: passes options to linker and assembler, and search paths
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: forbidden_flag_output
// FLAGS: -o/tmp/ke_canary_delete
// USES: honest
// TRIES: writes its object file over a planted one
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: forbidden_flag_plugin
// FLAGS: -fplugin=/tmp/ke_canary_secret.so
// USES: honest
// TRIES: asks the compiler for a plugin
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: forbidden_flag_response
// FLAGS: @/tmp/ke_canary_secret
// USES: honest
// TRIES: takes its flags from a file
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: forbidden_flag_specs
// FLAGS: -specs=/tmp/ke_canary_secret -B/tmp --sysroot=/tmp -save-temps -dumpdir /tmp/
// USES: honest
// TRIES: other specs, tools and folders
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: forbidden_flag_wrapper
// FLAGS: -wrapper /bin/true
// USES: honest
// TRIES: wraps the compiler into a program
extern "C" void kernel(const float* in, float* out, std::size_t n) { honest(in, out, n); }
