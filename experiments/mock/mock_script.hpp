#pragma once
// What a mock language model answers, and how it fails.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// Ways in which providers fail.
enum class MockFault {
  none,
  rate_limit,      ///< 429 with Retry-After
  no_credit,       ///< credit is used up
  server_error,    ///< 500
  unavailable,     ///< 503
  overloaded,      ///< 529
  slow,            ///< answers late
  stalled,         ///< stops in the midst and keeps the connection
  cut,             ///< closes the connection in the midst
  truncated_json,  ///< a whole HTTP reply with half a document
  empty,           ///< no text
  refusal,         ///< the model refuses
  huge,            ///< 5 MiB of text
  wrong_type,      ///< a web page with status 200
  echo,            ///< the prompt, and the key that came with it
  bad_parameter,   ///< 400 for a request that names a temperature
  no_tools         ///< 400 for a request that offers tools
};

/// All names, in the order of the enum.
std::vector<std::string> mock_fault_names();

/// What the mock saw of one request.
struct MockRequest {
  std::int64_t number = 0;  ///< from 0, in the order of arrival
  std::string dialect;
  std::string model;
  std::string prompt;  ///< texts of all messages
};

/// What it does.
struct MockTurn {
  MockFault fault = MockFault::none;
  std::string text = {};
};

/// Called for each request, by several threads but never by two at once.
using MockScript = std::function<MockTurn(const MockRequest&)>;

/// Takes one turn after the other; the last one again and again. `turns` must not be empty.
MockScript mock_queue(std::vector<MockTurn> turns);
/// Replies from files: those of the subfolder whose name appears first in the prompt (an operator's
/// name), else those of the folder itself, in order of their names, from the first one again after
/// the last. Errors: no readable folder, or no file in one of its folders.
Result<MockScript> mock_folder(const std::string& folder);
/// `inner` with a share of its turns replaced by one of `faults`, drawn from seed and number.
MockScript mock_faults(double share, std::uint64_t seed, std::vector<MockFault> faults,
                       MockScript inner);

}  // namespace ke
