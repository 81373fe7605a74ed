#pragma once
// Scripts the answers and failures of a mock language model.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace ke {

/// Failure modes of providers.
enum class MockFault {
  none,
  rate_limit,      ///< 429 with Retry-After
  no_credit,       ///< no credit left
  server_error,    ///< 500
  unavailable,     ///< 503
  overloaded,      ///< 529
  slow,            ///< answers late
  stalled,         ///< stops midway and keeps the connection
  cut,             ///< closes the connection midway
  truncated_json,  ///< complete HTTP reply with half a document
  empty,           ///< no text
  refusal,         ///< the model refuses
  huge,            ///< 5 MiB of text
  wrong_type,      ///< a web page with status 200
  echo,            ///< returns the prompt and the key that came with it
  bad_parameter,   ///< 400 for a request that names a temperature
  no_tools,        ///< 400 for a request that offers tools
  reasoning,       ///< the text is reasoning, and no answer follows (openai_chat)
  held             ///< a whole reply, after which the connection stays open
};

/// All names, in the order of the enum.
std::vector<std::string> mock_fault_names();

/// One request as the mock sees it.
struct MockRequest {
  std::int64_t number = 0;  ///< from 0, in the order of arrival
  std::string dialect;
  std::string model;
  std::string prompt;  ///< texts of all messages, joined
};

/// The mock's response to one request.
struct MockTurn {
  MockFault fault = MockFault::none;
  std::string text = {};
};

/// Called for each request, from several threads but never concurrently.
using MockScript = std::function<MockTurn(const MockRequest&)>;

/// Plays the turns in order and repeats the last one. `turns` must not be empty.
MockScript mock_queue(std::vector<MockTurn> turns);
/// Reads replies from files: those of the subfolder whose name (an operator's) appears first in the
/// prompt, else those of the folder itself. They are used in order of file name, cyclically.
/// Errors: no readable folder, or a folder without files.
Result<MockScript> mock_folder(const std::string& folder);
/// Replaces a share of the turns of `inner` by one of `faults`, drawn from seed and number.
MockScript mock_faults(double share, std::uint64_t seed, std::vector<MockFault> faults,
                       MockScript inner);

}  // namespace ke
