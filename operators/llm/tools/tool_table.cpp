#include "operators/llm/tools/tool_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/json.hpp"
#include "core/text.hpp"
#include "operators/llm/fences.hpp"
#include "operators/llm/json.hpp"
#include "operators/llm/reasoning.hpp"

namespace ke {
namespace {

constexpr std::string_view json_hint =
    "write one JSON object, e.g. {\"tool\": \"check\", \"arguments\": {}}, and a kernel's source "
    "in "
    "a fence of its own behind the block";

std::string_view first_word(std::string_view info) { return info.substr(0, info.find(' ')); }

bool is_call_label(std::string_view word) {
  return word == "tool" || word == "tool_call" || word == "tool_use";
}

/// Parses a JSON object; null when it is none.
Json object_in(std::string_view text, std::size_t deepest = deepest_json) {
  if (!is_shallow(text, deepest)) return {};
  Json json = parse_json(text);
  return json.is_object() ? json : Json();
}

bool names_a_tool(const Json& json) {
  const bool has_arguments = json.contains("arguments") || json.contains("parameters");
  return !text_at(json, "tool").empty() || (has_arguments && !text_at(json, "name").empty());
}

/// Removes a member from an object and returns it; null when it has none.
Json taken(Json& object, std::string_view name) {
  const auto found = object.find(std::string(name));
  if (found == object.end()) return {};
  Json value = std::move(*found);
  object.erase(found);
  return value;
}

std::string text_of_json(const Json& json) {
  return json.is_string() ? json.get<std::string>() : std::string();
}

/// Stores a value that should be an object of arguments in a call.
void take_arguments(Json given, ToolCall& call) {
  if (given.is_string()) {  // encoded twice, as some models do
    const std::string text = given.get<std::string>();
    given = trim(text).empty() ? Json::object() : object_in(text);
    if (given.is_null()) call.arguments = text;
  }
  if (!given.is_object()) {
    call.fault = fmt::format("the arguments are no JSON object; {}", json_hint);
    return;
  }
  if (given.contains("source")) {
    const Json source = taken(given, "source");
    if (source.is_string()) {
      call.source = source.get<std::string>();
    } else {
      call.fault = "the argument 'source' is no text";
    }
  }
  call.arguments = json_text(given);
  if (!is_shallow(call.arguments, deepest_json)) call.fault = "the arguments are nested too deep";
}

ToolCall call_of(Json json) {
  ToolCall call;
  call.id = text_of_json(taken(json, "id"));
  call.signature = text_of_json(taken(json, "signature"));
  call.tool = text_of_json(taken(json, json.contains("tool") ? "tool" : "name"));
  for (const char* name : {"arguments", "parameters", "input", "args"}) {
    if (!json.contains(name)) continue;
    take_arguments(taken(json, name), call);
    return call;
  }
  take_arguments(std::move(json), call);  // arguments beside the tool's name
  return call;
}

/// Whether the fence after the call is its source.
bool wants_source(const ToolCall& call) {
  const ToolSpec* tool = find_tool(call.tool);
  const bool takes = tool == nullptr || tool->takes_source;
  const bool has = call.source || object_in(call.arguments).contains("kernel");
  return takes && !has && call.fault.empty();
}

/// Scans the fences of a reply in order.
class CallScan {
 public:
  explicit CallScan(std::span<const Line> lines) : lines_(lines), covered_(lines.size()) {}

  void fence(const Fence& fence) {
    if (!fence.code && fence.closed) return;
    const std::string text = content(fence, lines_);
    if (!fence.closed && fence.mark.info.empty() && is_blank(text)) return;  // a stray mark
    const std::string_view word = first_word(fence.mark.info);
    const bool labelled = is_call_label(word);
    Json json = labelled || word == "json" ? object_in(text, deepest_json + 2) : Json();
    if (labelled || names_a_tool(json)) {
      begin(fence, std::move(json));
    } else if (open_ != nullptr) {
      take_source(fence, text);
    } else if (fence.closed) {
      reply_.has_code = true;
    }
  }

  ToolReply finish() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!covered_[i]) reply_.prose.append(lines_[i].text) += '\n';
    }
    return std::move(reply_);
  }

 private:
  void begin(const Fence& fence, Json json) {
    cover(fence);
    open_ = nullptr;
    if (reply_.calls.size() == most_calls) return;
    ToolCall call;
    if (json.is_null()) {
      call.fault = fmt::format("the block is no JSON object{}; {}",
                               fence.closed ? "" : ", and it is never closed", json_hint);
    } else {
      call = call_of(std::move(json));
    }
    reply_.calls.push_back(std::move(call));
    if (wants_source(reply_.calls.back())) open_ = &reply_.calls.back();
  }

  void take_source(const Fence& fence, const std::string& text) {
    cover(fence);
    open_->source = text;
    if (!fence.closed) open_->fault = "the fence with its source is never closed; answer shorter";
    open_ = nullptr;
  }

  void cover(const Fence& fence) {
    const std::size_t end = std::min(fence.end + 1, lines_.size());
    for (std::size_t i = fence.first - 1; i < end; ++i) covered_[i] = true;
  }

  std::span<const Line> lines_;
  std::vector<bool> covered_;
  ToolReply reply_;
  ToolCall* open_ = nullptr;  ///< the call that takes the next fence as its source
};

/// A fence of backticks that no line of the text closes.
std::string fence_around(std::string_view text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

}  // namespace

ToolReply read_tool_reply(std::string_view reply) {
  if (reply.size() > longest_reply) return {};
  const ReplyText answer = without_reasoning(reply);
  const auto lines = split_lines(answer.text);
  CallScan scan(lines);
  for (const Fence& fence : find_fences(lines)) scan.fence(fence);
  return scan.finish();
}

ToolCall native_call(std::string id, std::string tool, std::string_view arguments,
                     std::string signature) {
  ToolCall call;
  call.id = std::move(id);
  call.tool = std::move(tool);
  call.signature = std::move(signature);
  take_arguments(Json(std::string(arguments)), call);
  return call;
}

std::string fenced_source(std::string_view source) {
  const std::string fence = fence_around(source);
  std::string text = fence + "source\n";
  text += source;
  if (!text.ends_with('\n')) text += '\n';
  return text + fence + "\n";
}

std::string tool_call_text(const ToolCall& call) {
  Json json = Json::object();
  if (!call.id.empty()) json["id"] = call.id;
  json["tool"] = call.tool;
  Json arguments = object_in(call.arguments);
  if (arguments.is_null()) arguments = call.arguments;
  // A reasoning end tag at the start of a line would remove the text before it.
  const bool fenced = call.source && call.source->find("</") == std::string::npos;
  if (call.source && !fenced && arguments.is_object()) arguments["source"] = *call.source;
  json["arguments"] = std::move(arguments);
  if (!call.signature.empty()) json["signature"] = call.signature;
  std::string text = "```tool\n" + json_text(json) + "\n```\n";
  if (!fenced) return text;
  return text + fenced_source(*call.source);
}

std::string wire_arguments(const ToolCall& call) {
  Json json = object_in(call.arguments);
  if (json.is_null()) json = {{"malformed", call.arguments}};
  if (call.source) json["source"] = *call.source;
  return json_text(json);
}

namespace {

constexpr std::string_view table_version = "agent/1";

constexpr std::string_view kernel_schema =
    R"({"type":"object","properties":{)"
    R"("source":{"type":"string","description":"a whole new kernel file"},)"
    R"("kernel":{"type":"string","description":"instead of source: parent, or k1, k2, .. as earlier results call it"}}})";

constexpr std::string_view query_schema =
    R"({"type":"object","properties":{)"
    R"("query":{"type":"string","description":"words to look for"}},"required":["query"]})";

constexpr std::string_view show_schema =
    R"({"type":"object","properties":{)"
    R"("kernel":{"type":"string","description":"an id such as 12.0.0, or best, parent, k1; elites lists the elites"},)"
    R"("cell":{"type":"integer","description":"instead of kernel: the elite of this cell of the archive"}}})";

constexpr ToolSpec tool_table[] = {
    {"compile",
     "Compiles a kernel. Answers with the compiler's messages, or registers, spills and "
     "other measures of the binary.",
     kernel_schema, true},
    {"check",
     "Compiles a kernel and runs it on the test shapes. Answers whether it is right, or "
     "with the first mismatch. Nothing is timed.",
     kernel_schema, true},
    {"time",
     "Checks a kernel and times it on the bench shapes, against the task's own kernel and "
     "your parent. Costs one timed kernel.",
     kernel_schema, true},
    {"profile",
     "Compiles a kernel and runs it under the device's sanitizers and profiler. Answers "
     "with what they found, and with what the binary looks like.",
     kernel_schema, true},
    {"look_up", "Looks up what is known of machines, languages and kinds of kernels.", query_schema,
     false},
    {"show", "Shows another kernel of this search, with its scores.", show_schema, false},
    {"submit", "Ends the conversation with this kernel as your answer.", kernel_schema, true},
};

}  // namespace

std::span<const ToolSpec> agent_tools() { return tool_table; }

const ToolSpec* find_tool(std::string_view name) {
  const auto* found = std::ranges::find(tool_table, name, &ToolSpec::name);
  return found == std::end(tool_table) ? nullptr : found;
}

std::string offer_of(std::span<const ToolSpec* const> tools) {
  std::string offer(table_version);
  for (const ToolSpec* tool : tools) offer.append(" ").append(tool->name);
  return offer;
}

std::vector<const ToolSpec*> offered_tools(const LlmRequest& request) {
  const auto setting = request.settings.find(std::string(tools_setting));
  if (setting == request.settings.end()) return {};
  std::vector<const ToolSpec*> tools;
  const auto words = split(setting->second, ' ');
  if (words.front() != table_version) return {};
  for (const std::string_view word : words) {
    if (const ToolSpec* tool = find_tool(word)) tools.push_back(tool);
  }
  return tools;
}

}  // namespace ke
