#pragma once
// A child process, such as one of the program `kernelevolve-cuda`, that answers one request at a
// time over a socket. Its owner kills and restarts it when it does not answer.

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/codec.hpp"
#include "core/result.hpp"
#include "fitness/process/frame.hpp"

namespace ke::gpu {

class HelperProcess {
 public:
  /// Starts a program; descriptor 3 is its end of the socket.
  static Result<std::unique_ptr<HelperProcess>> start(std::vector<std::string> argv);
  HelperProcess(pid_t pid, int fd) : pid_(pid), fd_(fd), reader_(fd) {}
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;
  /// Kills the process.
  ~HelperProcess();

  /// The answer to a request; for nothing see receive.
  std::optional<std::string> ask(const std::string& request, std::chrono::milliseconds limit,
                                 bool& ended);
  /// Sends a descriptor together with one byte.
  bool send_descriptor(int descriptor) const;
  /// The next answer, or nothing when the limit expires (`ended` false) or the process has ended.
  std::optional<std::string> receive(std::chrono::milliseconds limit, bool& ended);

 private:
  pid_t pid_;
  int fd_;
  FrameReader reader_;
};

/// For the other end: waits for a descriptor sent by send_descriptor; -1 = the stream ended.
int receive_descriptor(int socket);

}  // namespace ke::gpu
