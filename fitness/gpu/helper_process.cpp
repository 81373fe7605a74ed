#include "fitness/gpu/helper_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "core/countdown.hpp"

namespace ke::gpu {
namespace {

constexpr int child_end = 3;

// Keeps the library path, which may locate CUDA's own libraries.
std::vector<char*> words_of(std::vector<std::string>& list) {
  std::vector<char*> words;
  for (std::string& word : list) words.push_back(word.data());
  words.push_back(nullptr);
  return words;
}

/// One byte, with room for an attached descriptor.
struct DescriptorMessage {
  char byte = 'd';
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};

  DescriptorMessage() {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
  DescriptorMessage(const DescriptorMessage&) = delete;
  DescriptorMessage& operator=(const DescriptorMessage&) = delete;
};

}  // namespace

Result<std::unique_ptr<HelperProcess>> HelperProcess::start(std::vector<std::string> argv) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Error{Failure::device, "no socket pair for a helper process"};
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], child_end);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int failed =
      posix_spawn(&pid, argv[0].c_str(), &actions, nullptr, words_of(argv).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failed != 0) {
    close(ends[0]);
    return Error{Failure::device, fmt::format("cannot start {}: {}; build or install it", argv[0],
                                              std::strerror(failed))};
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return std::make_unique<HelperProcess>(pid, ends[0]);
}

HelperProcess::~HelperProcess() {
  close(fd_);
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool HelperProcess::send_descriptor(int descriptor) const {
  DescriptorMessage message;
  cmsghdr* header = CMSG_FIRSTHDR(&message.header);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  return sendmsg(fd_, &message.header, MSG_NOSIGNAL) == 1;
}

int receive_descriptor(int socket) {
  DescriptorMessage message;
  if (recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC) != 1) return -1;
  const cmsghdr* header = CMSG_FIRSTHDR(&message.header);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return -1;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return descriptor;
}

std::optional<std::string> HelperProcess::ask(const std::string& request,
                                              std::chrono::milliseconds limit, bool& ended) {
  ended = !write_frame(fd_, request);
  return ended ? std::nullopt : receive(limit, ended);
}

std::optional<std::string> HelperProcess::receive(std::chrono::milliseconds limit, bool& ended) {
  Countdown left(limit);
  ended = false;
  for (;;) {
    if (auto frame = reader_.next()) return frame;
    const int wait_ms = left.step();
    if (wait_ms == 0) return std::nullopt;
    pollfd in{fd_, POLLIN, 0};
    if (::poll(&in, 1, wait_ms) <= 0) continue;
    if (reader_.fill()) continue;
    ended = true;
    return std::nullopt;
  }
}

}  // namespace ke::gpu
