#include "core/fact_log.hpp"

#include "core/codec.hpp"

namespace ke {

Digest RecordDigests::hash() const {
  Encoder out;
  out("record/1")(facts)(exchanges);
  return out.digest();
}

}  // namespace ke
