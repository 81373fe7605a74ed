#include "fitness/gpu/examined_calls.hpp"

namespace ke::gpu {

ExaminedCall examined_call(const ResolvedPlan& plan, const Content& content) {
  ExaminedCall call;
  call.plan = plan;
  for (const TensorShape& tensor : content.shapes->tensors) call.bytes.push_back(tensor.bytes);
  for (const auto& input : content.inputs) {
    call.inputs.emplace_back(reinterpret_cast<const char*>(input.data()), input.size());
  }
  return call;
}

}  // namespace ke::gpu
