#include "experiments/study/landscape/recording_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

namespace ke {
namespace {

namespace fs = std::filesystem;

Error failed(const std::string& path, std::string_view what) {
  return {Failure::store, fmt::format("{}: cannot be {}: {}", path, what, std::strerror(errno))};
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

RecordingJournal::RecordingJournal(RecordingJournal&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      results_(std::move(other.results_)),
      reference_ms_(other.reference_ms_) {}

RecordingJournal::~RecordingJournal() {
  if (fd_ >= 0) close(fd_);
}

Result<RecordingJournal> RecordingJournal::open(const std::string& path, const Json& header) {
  RecordingJournal journal;
  journal.path_ = path;
  const std::string text = text_of(path);
  std::size_t whole = 0;  // bytes of complete lines
  bool first = true;
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', whole)) {
    const std::string line = text.substr(whole, end - whole);
    if (first && line != json_text(header)) {
      return Error{Failure::config,
                   fmt::format("{}: belongs to another recording (task, kernel, compiler, machine, "
                               "seed or limit differ); remove it to start afresh",
                               path)};
    }
    if (!first && !journal.read_line(line)) {
      return Error{Failure::store, fmt::format("{}: damaged at byte {}", path, whole)};
    }
    first = false;
    whole = end + 1;
  }
  journal.fd_ = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  if (journal.fd_ < 0) return failed(path, "opened");
  if (ftruncate(journal.fd_, static_cast<off_t>(whole)) != 0 ||
      lseek(journal.fd_, 0, SEEK_END) < 0) {
    return failed(path, "written");
  }
  if (first) KE_TRY_VOID(journal.write_line(header));
  return Result<RecordingJournal>(std::move(journal));
}

bool RecordingJournal::read_line(const std::string& line) {
  const Json json = parse_json(line);
  if (!json.is_object()) return false;
  if (const auto reference = json.find("reference_ms"); reference != json.end()) {
    reference_ms_ = reference->get<double>();
    return true;
  }
  if (!json.contains("genome") || !json.contains("result")) return false;
  const auto genome = parse_digest(json["genome"].get<std::string>());
  if (genome) results_.emplace(*genome, json["result"]);
  return genome.has_value();
}

Result<void> RecordingJournal::write_line(const Json& line) {
  const std::string text = json_text(line) + "\n";
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = write(fd_, text.data() + done, text.size() - done);
    if (wrote < 0 && errno != EINTR) return failed(path_, "written");
    done += static_cast<std::size_t>(std::max<ssize_t>(wrote, 0));
  }
  if (fdatasync(fd_) != 0) return failed(path_, "written");
  return {};
}

Result<void> RecordingJournal::set_reference(double ms) {
  reference_ms_ = ms;
  return write_line({{"reference_ms", ms}});
}

Result<void> RecordingJournal::append(const Digest& genome, Json result) {
  KE_TRY_VOID(write_line({{"genome", genome.hex()}, {"result", result}}));
  results_.insert_or_assign(genome, std::move(result));
  return {};
}

std::string landscape_text(const Json& metadata, const std::vector<Json>& results) {
  const Json document = {{"metadata", metadata}, {"results", results}, {"schema_version", "1.0.0"}};
  return json_text(document, JsonForm::lines) + "\n";
}

Result<void> write_landscape(const std::string& path, const Json& metadata,
                             const std::vector<Json>& results) {
  const std::string text = landscape_text(metadata, results);
  const std::string beside = path + ".new";
  const gzFile file = gzopen(beside.c_str(), "wb9");
  if (file == nullptr) return failed(beside, "created");
  const bool wrote = gzwrite(file, text.data(), static_cast<unsigned>(text.size())) > 0;
  if (gzclose(file) != Z_OK || !wrote) return failed(beside, "written");
  std::error_code code;
  fs::rename(beside, path, code);
  if (code) return Error{Failure::store, path + ": cannot be written: " + code.message()};
  return {};
}

}  // namespace ke
