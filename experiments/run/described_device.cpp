#include "experiments/run/described_device.hpp"

#include <fmt/format.h>

#include "experiments/run/config/document.hpp"

namespace ke {

Result<DescribedDevice> describe_device(const std::string& task,
                                        std::span<const std::string> words) {
  Node document;
  document.kind = Node::Kind::map;
  Node name;
  name.kind = Node::Kind::scalar;
  name.scalar = task;
  document.set("task", std::move(name));
  for (const std::string& text : words) {
    if (!text.starts_with("device")) {
      return Error{Failure::usage, fmt::format("'{}': only keys of 'device' are taken here", text)};
    }
    KE_TRY_VOID(apply_override(document, text, "."));
  }
  DescribedDevice made;
  KE_TRY(made.experiment, read_experiment(std::move(document), "device"));
  KE_TRY(made.subject, read_subject_alone(made.experiment, task, "."));
  return made;
}

}  // namespace ke
