#include "fitness/host/lane_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <thread>

#include "core/text.hpp"

namespace ke {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A file in /tmp that all users share; they may only read it, which suffices for a lock.
Fd open_lock(std::string_view name) {
  const std::string path = fmt::format("/tmp/kernelevolve-lane-{}", name);
  const int how = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  Fd file(open(path.c_str(), how));
  if (file) return file;
  file = Fd(open(path.c_str(), how | O_CREAT, 0644));
  if (file) fchmod(file.get(), 0644);
  return file;
}

/// "kernelevolve eval, process 1234"; "another process" if the system does not say.
std::string holder_of(const Fd& file) {
  struct stat info;
  std::ifstream locks("/proc/locks");
  if (fstat(file.get(), &info) != 0) return "another process";
  const std::string inode = fmt::format(":{}", info.st_ino);
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    const std::vector<std::string> word{std::istream_iterator<std::string>(words), {}};
    if (word.size() < 6 || word[1] != "FLOCK" || !word[5].ends_with(inode)) continue;
    // A program of a wheel is started by its loader, whose options come first.
    std::ifstream command("/proc/" + word[4] + "/cmdline");
    std::string program, verb;
    for (std::string one; std::getline(command, one, '\0');) {
      if (program == "kernelevolve") {
        verb = " " + one;
        break;
      }
      one = std::filesystem::path(one).filename().string();
      if (program.empty() || one == "kernelevolve") program = one;
    }
    return fmt::format("{}{}, process {}", program, verb, word[4]);
  }
  return "another process";
}

/// Takes one lock after another for a thread that waits.
class Waiting {
 public:
  Waiting(const std::atomic<bool>& closing, const LaneLock::Tell& tell)
      : closing_(closing), tell_(tell) {}

  /// how: LOCK_EX or LOCK_SH. Whoever holds `named` is told of.
  void take(const Fd& file, int how, const Fd& named) {
    while (file && flock(file.get(), how | LOCK_NB) != 0 && !closing_) {
      if (tell_ && !told_ && Clock::now() - start_ >= milliseconds(2000)) {
        told_ = true;
        tell_("waits for the processor or GPU that times kernels: held by " + holder_of(named));
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
  }

 private:
  const std::atomic<bool>& closing_;
  const LaneLock::Tell& tell_;
  const Clock::time_point start_ = Clock::now();
  bool told_ = false;
};

}  // namespace

// The lock `turn` is held while waiting for the others, so that processes alternate: without it,
// one that times job after job would take them again before the next one notices.
LaneLock::LaneLock(int core, const std::atomic<bool>& closing, const Tell& tell) {
  const Fd turn = open_lock("turn");
  held_[0] = open_lock("machine");
  if (core >= 0) held_[1] = open_lock(fmt::format("core-{}", core));
  const Fd& named = core >= 0 ? held_[1] : held_[0];
  Waiting waiting(closing, tell);
  waiting.take(turn, LOCK_EX, named);
  waiting.take(held_[0], core >= 0 ? LOCK_SH : LOCK_EX, named);
  waiting.take(held_[1], LOCK_EX, named);
}

LaneLock::LaneLock(const std::string& gpu, const std::atomic<bool>& closing, const Tell& tell) {
  const Fd turn = open_lock(fmt::format("gpu-{}-turn", gpu));
  held_[0] = open_lock("gpu-" + gpu);
  Waiting waiting(closing, tell);
  waiting.take(turn, LOCK_EX, held_[0]);
  waiting.take(held_[0], LOCK_EX, held_[0]);
}

}  // namespace ke
