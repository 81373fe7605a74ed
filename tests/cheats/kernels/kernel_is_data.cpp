// NAME: kernel_is_data
// TASK: axpb
// CLASS: symbols
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: the symbol kernel is a variable that holds machine code
#include <cstddef>

extern "C" {
extern const unsigned char kernel[] __attribute__((section(".text.kernel")));
const unsigned char kernel[] = {0xc3, 0x90, 0x90, 0x90};
}
