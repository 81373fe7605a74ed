#pragma once
// Sample replies with their expected results: tests/golden/llm_replies.

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
  std::string language;  ///< language of the kernel; "" = any that defines the function `entry`
  std::string expected;  ///< ok, or the failure's reason
  std::string reply;
  std::string source;             ///< expected source for ok
  std::vector<std::string> says;  ///< texts that a failure's message must contain
};

/// Sources by name, also as <name>+crlf, +bom and +cut (no line end after the last line).
std::map<std::string, std::string> reply_parents();
/// Accepts texts that define a function, or mention it if the parent does not define it either; ""
/// = all.
SourceRule function_rule(std::string entry, std::string_view parent);
/// Rule that a sample's answer must satisfy, relative to its parent.
SourceRule rule_of(const ReplySample& sample, std::string_view parent);
/// Reads all samples; throws std::runtime_error for an unreadable one.
std::vector<ReplySample> reply_samples();

}  // namespace ke
