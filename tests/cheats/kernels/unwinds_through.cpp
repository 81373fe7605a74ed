// NAME: unwinds_through
// TASK: axpb
// CLASS: crash
// ALLOW:
// rejected|load_error|runtime_error|timeout|resource_limit|wrong_result|nondeterministic|suspicious
// TRIES: unwinds by force: every frame of the caller is left
#include <unwind.h>
#include <cstddef>

static _Unwind_Reason_Code go_on(int, _Unwind_Action, _Unwind_Exception_Class, _Unwind_Exception*,
                                 _Unwind_Context*, void*) {
  return _URC_NO_REASON;
}

extern "C" void kernel(const float*, float*, std::size_t) {
  static _Unwind_Exception exception;
  _Unwind_ForcedUnwind(&exception, go_on, nullptr);
}
