#include "operators/llm/lessons.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "core/hash.hpp"
#include "core/knowledge_index.hpp"
#include "core/text.hpp"
#include "operators/llm/json.hpp"
#include "operators/llm/prompt_sections.hpp"

namespace ke {
namespace {

bool read_number(const Json& json, std::string_view path, double& number) {
  const Json* found = find(json, path);
  if (found == nullptr || !found->is_number()) return false;
  number = found->get<double>();
  return true;
}

std::vector<std::string> texts_at(const Json& json, std::string_view path) {
  std::vector<std::string> texts;
  const Json* found = find(json, path);
  if (found == nullptr || !found->is_array()) return texts;
  for (const Json& item : *found) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

/// The error in a line, or "".
std::string read_line(std::string_view line, Lesson& lesson) {
  const Json json = parse_json(line);
  if (!json.is_object()) return "is no JSON object";
  for (const auto& [name, member] :
       {std::pair{"id", &Lesson::id}, std::pair{"task", &Lesson::task},
        std::pair{"language", &Lesson::language}, std::pair{"operator", &Lesson::operator_name},
        std::pair{"pattern", &Lesson::pattern}}) {
    lesson.*member = text_at(json, name);
    if ((lesson.*member).empty()) return fmt::format("has no text '{}'", name);
  }
  lesson.device = text_at(json, "device");
  lesson.evidence = text_at(json, "evidence");
  const bool numbers = read_number(json, "gain", lesson.gain) &&
                       read_number(json, "interval/0", lesson.interval.low) &&
                       read_number(json, "interval/1", lesson.interval.high);
  if (!numbers) return "has no numbers 'gain' and 'interval'";
  lesson.workloads = texts_at(json, "features/workloads");
  lesson.limiters = texts_at(json, "features/limiters");
  return "";
}

class LessonBook final : public Lessons {
 public:
  LessonBook(LessonOptions options, const std::vector<Passage>& passages)
      : options_(std::move(options)) {
    for (const Passage& passage : passages) index_.add(passage);
  }

  std::string recall(std::string_view query, RandomStream& random) const override {
    if (options_.probability == 0 || random.uniform() >= options_.probability) return "";
    constexpr std::int64_t after_all = 1;  // a frozen snapshot is known from step 0 on
    const auto found = index_.search(query, after_all, options_.lessons);
    if (found.empty()) return "";
    std::string text = "## Changes that made kernels faster in earlier searches\n";
    for (const Passage& passage : found) {
      text += fmt::format("### {}\n{}", passage.title, passage.text);
    }
    return cut_to_tokens(std::move(text), options_.tokens);
  }

  std::string version() const override { return options_.sha256.substr(0, 12); }

 private:
  LessonOptions options_;
  KnowledgeIndex index_;
};

}  // namespace

std::string family_of(std::string_view task) {
  const std::string_view name = task.substr(task.rfind('/') + 1);
  return std::string(name.substr(0, name.find_first_of("0123456789")));
}

std::string lesson_line(const Lesson& lesson) {
  return json_text({{"id", lesson.id},
                    {"task", lesson.task},
                    {"device", lesson.device},
                    {"language", lesson.language},
                    {"operator", lesson.operator_name},
                    {"gain", lesson.gain},
                    {"interval", {lesson.interval.low, lesson.interval.high}},
                    {"evidence", lesson.evidence},
                    {"features", {{"workloads", lesson.workloads}, {"limiters", lesson.limiters}}},
                    {"pattern", lesson.pattern}});
}

Result<std::vector<Lesson>> read_lessons(const std::string& file, const std::string& pinned) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) return Error{Failure::config, file + ": cannot be read"};
  if (const std::string has = sha256(text).hex(); has != pinned) {
    return Error{Failure::config,
                 fmt::format("{} is not the snapshot of the config: its SHA-256 is {}, not {}",
                             file, has, pinned)};
  }
  std::vector<Lesson> lessons;
  int number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    if (const std::string wrong = read_line(line, lessons.emplace_back()); !wrong.empty()) {
      return Error{Failure::config, fmt::format("{}:{}: a lesson {}", file, number, wrong)};
    }
  }
  return lessons;
}

Passage passage_of(const Lesson& lesson) {
  Passage passage;
  passage.id = lesson.id;
  passage.title = fmt::format("{} of {}: {:.2f} [{:.2f}, {:.2f}] times its parent's speed",
                              lesson.operator_name, lesson.task, lesson.gain, lesson.interval.low,
                              lesson.interval.high);
  passage.text =
      fmt::format("On {}, workloads {}.", lesson.device, fmt::join(lesson.workloads, ", "));
  if (!lesson.limiters.empty()) {
    passage.text += fmt::format(" The parent's limit was {}.", fmt::join(lesson.limiters, ", "));
  }
  passage.text += fmt::format("\n{}", lesson.pattern);
  if (!passage.text.ends_with('\n')) passage.text += '\n';
  return passage;
}

std::shared_ptr<const Lessons> make_lessons(LessonOptions options,
                                            const std::vector<Passage>& passages) {
  return std::make_shared<LessonBook>(std::move(options), passages);
}

}  // namespace ke
