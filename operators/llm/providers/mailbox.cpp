#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "operators/llm/exchange_json.hpp"
#include "operators/llm/providers/registry.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

std::optional<std::string> content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(longest_reply + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || !file.is_open()) return std::nullopt;
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

/// Renames complete files into place, so that readers never see half a request.
bool write_whole(const fs::path& path, std::string_view text) {
  const fs::path fresh = path.string() + ".tmp";
  std::ofstream file(fresh, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  std::error_code failed;
  if (file) fs::rename(fresh, path, failed);
  return file && !failed;
}

/// Writes `<key>.request.json` (`request_text`) into a folder and takes `<key>.reply.json`
/// (`read_reply`) or `<key>.reply.txt` (plain text) as the answer, whoever wrote it and whenever:
/// before a restart, between two runs, or now. Writers should rename files into place; an
/// incomplete JSON object is read only once it has stopped changing, and a malformed one is kept as
/// `<key>.reply.json.bad` (status bad_reply). No reply within the deadline, counted from `submit`,
/// gives status timeout.
///
/// The next `poll`, or the destructor, moves an answer to `done/`, when the caller has had time to
/// store it. It is used again when its key is requested again, so a process that died in between
/// loses nothing. Ignores replies to unknown keys.
class MailboxProvider final : public LlmClient {
 public:
  MailboxProvider(Params& params, const LlmWorld& world)
      : folder_(fs::path(world.run_folder) /
                params.text("folder", "mailbox",
                            "where requests and replies lie, below the folder of the run")),
        deadline_(params.duration_ms("deadline", "24h", {1, 31'536'000'000},
                                     "how long one reply may take")),
        settle_(params.duration_ms("settle", "1s", {0, 3'600'000},
                                   "how long a reply that may be half written must not change")) {}
  ~MailboxProvider() override { file_away(); }

  Result<void> submit(const Digest& key, const LlmRequest& request) override {
    if (open_.contains(key)) return {};
    std::error_code failed;
    fs::create_directories(folder_ / "done", failed);
    for (const char* ending : reply_endings) {
      const fs::path kept = folder_ / "done" / (key.hex() + ending);
      if (fs::exists(kept, failed)) fs::rename(kept, file(key, ending), failed);
    }
    const fs::path path = file(key, request_ending);
    if (!answered(key) && !fs::exists(path, failed) &&
        !write_whole(path, request_text(key, request))) {
      return Error{Failure::io, fmt::format("{}: cannot be written", path.string())};
    }
    std::erase_if(taken_, [&](const Taken& taken) { return taken.key == key; });
    open_[key] = {request, Clock::now() + deadline_, {}};
    return {};
  }

  std::vector<Exchange> poll(milliseconds wait) override {
    file_away();
    const auto until = Clock::now() + wait;
    for (;;) {
      std::vector<Exchange> answers = look();
      if (!answers.empty() || open_.empty()) return answers;
      const auto left = until - Clock::now();
      if (left.count() <= 0) return {};
      std::this_thread::sleep_for(std::min<Clock::duration>(left, between_looks));
    }
  }

  void cancel(const Digest& key) override {
    if (open_.erase(key) == 0) return;
    std::error_code ignored;
    fs::remove(file(key, request_ending), ignored);
  }

  /// Nothing while a reply to an open letter lies in the folder: nobody has to be asked for it, for
  /// `poll` reads it once its file stopped changing.
  std::optional<OpenLetters> open_letters() const override {
    for (const Digest& key : replies()) {
      if (open_.contains(key)) return std::nullopt;
    }
    return OpenLetters{static_cast<std::int64_t>(open_.size()), folder_.string()};
  }

 private:
  /// The last observation of a reply that may still be incomplete.
  struct Sight {
    std::uintmax_t size = 0;
    fs::file_time_type changed;
    Clock::time_point since;
  };
  struct Open {
    LlmRequest request;
    Clock::time_point deadline;
    std::optional<Sight> sight;
  };
  struct Taken {
    Digest key;
    bool malformed;
  };
  static constexpr const char* request_ending = ".request.json";
  static constexpr const char* json_ending = ".reply.json";
  static constexpr const char* text_ending = ".reply.txt";
  static constexpr const char* reply_endings[] = {json_ending, text_ending};
  static constexpr milliseconds between_looks{20};

  fs::path file(const Digest& key, const char* ending) const {
    return folder_ / (key.hex() + ending);
  }
  bool answered(const Digest& key) const {
    std::error_code ignored;
    return fs::exists(file(key, json_ending), ignored) ||
           fs::exists(file(key, text_ending), ignored);
  }

  /// Keys of all replies in the folder, by one listing for all open requests.
  std::set<Digest> replies() const {
    std::set<Digest> keys;
    std::error_code failed;
    for (fs::directory_iterator at(folder_, failed), end; !failed && at != end;
         at.increment(failed)) {
      const std::string name = at->path().filename().string();
      if (!name.ends_with(json_ending) && !name.ends_with(text_ending)) continue;
      if (const auto key = parse_digest(name.substr(0, name.find('.')))) keys.insert(*key);
    }
    return keys;
  }

  std::vector<Exchange> look() {
    std::vector<Exchange> answers;
    for (const Digest& key : replies()) {
      const auto open = open_.find(key);
      if (open == open_.end()) continue;
      Exchange exchange = failed_exchange(key, open->second.request, "");
      if (!read(key, open->second, exchange)) continue;
      taken_.push_back({key, exchange.status == "bad_reply"});
      open_.erase(open);
      answers.push_back(std::move(exchange));
    }
    std::erase_if(open_, [&](const auto& open) {
      if (Clock::now() < open.second.deadline) return false;
      taken_.push_back({open.first, false});
      answers.push_back(failed_exchange(open.first, open.second.request, "timeout"));
      return true;
    });
    return answers;
  }

  /// Whether the reply is complete; a JSON reply takes precedence over text.
  bool read(const Digest& key, Open& open, Exchange& exchange) const {
    std::error_code ignored;
    const bool json = fs::exists(file(key, json_ending), ignored);
    const fs::path path = file(key, json ? json_ending : text_ending);
    auto text = content(path);
    if (!text) return false;
    if (json && read_reply(*text, exchange)) return true;
    if (!settled(path, open)) return false;
    if (!json) take_reply(*std::move(text), exchange);
    return true;
  }

  /// Whether the file has kept its size and time long enough. File times are only compared with
  /// each other, since the folder may be on a machine with another clock.
  bool settled(const fs::path& path, Open& open) const {
    std::error_code ignored;
    const auto size = fs::file_size(path, ignored);
    const auto changed = fs::last_write_time(path, ignored);
    if (!open.sight || open.sight->size != size || open.sight->changed != changed) {
      open.sight = {size, changed, Clock::now()};
    }
    return Clock::now() - open.sight->since >= settle_;
  }

  /// Moves answers that the caller has received to `done/`.
  void file_away() {
    std::error_code ignored;
    for (const Taken& taken : taken_) {
      const std::string name = taken.key.hex();
      fs::rename(file(taken.key, request_ending), folder_ / "done" / (name + request_ending),
                 ignored);
      for (const char* ending : reply_endings) {
        const fs::path from = file(taken.key, ending);
        const fs::path to =
            taken.malformed ? fs::path(from.string() + ".bad") : folder_ / "done" / (name + ending);
        fs::rename(from, to, ignored);
      }
    }
    taken_.clear();
  }

  fs::path folder_;
  milliseconds deadline_;
  milliseconds settle_;
  std::map<Digest, Open> open_;
  std::vector<Taken> taken_;
};

}  // namespace

std::unique_ptr<LlmClient> make_mailbox_provider(Params& params, const LlmWorld& world) {
  return std::make_unique<MailboxProvider>(params, world);
}

}  // namespace ke
