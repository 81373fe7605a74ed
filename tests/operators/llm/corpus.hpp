#pragma once
// Samples of replies with what must come of them: tests/golden/llm_replies.

#include <map>
#include <string>
#include <vector>

#include "operators/llm/reply.hpp"

namespace ke {

struct ReplySample {
  std::string file;
  std::string name;
  std::string mode;    ///< diff | rewrite
  std::string parent;  ///< key of parents()
  std::string entry = "kernel";
  std::string language;  ///< of the kernel; "" = any that defines the function `entry`
  std::string expected;  ///< ok, or the reason of the failure
  std::string reply;
  std::string source;             ///< for ok: what must come of it
  std::vector<std::string> says;  ///< what the message of a failure must hold
};

/// Sources by name, also as <name>+crlf, +bom and +cut (no line end after the last line).
std::map<std::string, std::string> reply_parents();
/// Texts that define a function, or name it where not even the parent defines it; "" = all texts.
SourceRule function_rule(std::string entry, std::string_view parent);
/// What a sample's answer must be, against its parent.
SourceRule rule_of(const ReplySample& sample, std::string_view parent);
/// All samples; throws std::runtime_error for one that cannot be read.
std::vector<ReplySample> reply_samples();

}  // namespace ke
