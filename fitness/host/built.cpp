#include "fitness/host/built.hpp"

namespace ke {

void Built::encode(Encoder& out) const {
  out("built/2")(verdict)(reason)(message)(trusted)(prepares)(build_hash)(object)(diagnostics);
  out(policy_flags)(measures)(hot_loop)(missed)(compile_ns);
}

void Built::decode(Decoder& in) {
  std::string format;
  in(format)(verdict)(reason)(message)(trusted)(prepares)(build_hash)(object)(diagnostics);
  in(policy_flags)(measures)(hot_loop)(missed)(compile_ns);
}

}  // namespace ke
