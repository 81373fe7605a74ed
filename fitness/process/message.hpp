#pragma once
// Messages between the owner and the worker process of a ProcessEvaluator.

#include "core/evaluator.hpp"

namespace ke {

struct ToWorker {
  enum class Kind { submit, cancel };
  friend constexpr Kind last_value(Kind) { return Kind::cancel; }
  Kind kind = Kind::submit;
  Job job;  ///< cancel uses the key only
  void encode(Encoder& out) const { out(kind)(job); }
  void decode(Decoder& in) { in(kind)(job); }
};

struct FromWorker {
  enum class Kind { hello, fact };
  friend constexpr Kind last_value(Kind) { return Kind::fact; }
  Kind kind = Kind::hello;
  EvaluatorInfo info;
  Fact fact;
  void encode(Encoder& out) const { out(kind)(info)(fact); }
  void decode(Decoder& in) { in(kind)(info)(fact); }
};

}  // namespace ke
