"""Conversations of the operator llm_agent with a server that builds every reply from the types of
the providers' own packages, and only accepts requests that these types accept, with a result for
each call: four dialects, whole and streamed."""
import collections.abc
import json
import sys

from anthropic import types as anthropic
from anthropic.types import message_create_params as anthropic_params
from google.genai import types as gemini
from openai.types import chat, responses
from openai.types.chat import completion_create_params as chat_params
from openai.types.responses import response_create_params as responses_params
from pydantic import TypeAdapter

sys.path.insert(0, sys.path[0] + "/../../support")
from llm_server import PATHS, LlmServer  # noqa: E402
from program import fresh_folder, must, rows, write  # noqa: E402

SOURCE = 'extern "C" void kernel(const float* x, float* y, std::size_t n) { for (std::size_t i = 0; i < n; ++i) y[i] = x[i] + x[i]; }\n'
CALLS = [("look_up", {"query": "memory bandwidth"}), ("show", {"kernel": "parent"})]
LAST = [("submit", {"source": SOURCE})]
CONFIG = """schema: kernelevolve/1
budget: {proposals: 2}
device: {kind: function, dimensions: 3}
islands: {count: 1, lag: 0}
archive: {kind: grid, axes: [{measure: m0, low: -1, high: 1, bins: 4}, {measure: m1, low: -1, high: 1, bins: 4}]}
operators: {llm_agent: 1}
llm: {kind: http, model: some-model, price: free}
verify: {cells: 0}
"""


def all_of(value):
    """Lists and dictionaries of a value whose parts are validated lazily."""
    if isinstance(value, dict):
        return {key: all_of(part) for key, part in value.items()}
    if isinstance(value, collections.abc.Iterable) and not isinstance(value, (str, bytes)):
        return [all_of(part) for part in value]
    return value


def taken(kind, body):
    adapter = TypeAdapter(kind)  # must outlive the parts that are validated late
    all_of(adapter.validate_python(body))


def text(model):
    return model.model_dump_json(by_alias=True, exclude_none=True)


def pieces(words):
    return [words[at:at + 7] for at in range(0, len(words), 7)]


class Chat:
    @staticmethod
    def check(body, stream):
        taken(chat_params.CompletionCreateParamsStreaming if stream else chat_params.CompletionCreateParamsNonStreaming, body)
        calls = [call["id"] for m in body["messages"] for call in m.get("tool_calls", [])]
        return calls == [m["tool_call_id"] for m in body["messages"] if m["role"] == "tool"], body["messages"]

    @staticmethod
    def whole(prose, calls):
        message = {"role": "assistant", "content": prose, "tool_calls": [
            {"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
            for i, (name, given) in enumerate(calls)]}
        return text(chat.ChatCompletion.model_validate(
            {"id": "c", "object": "chat.completion", "created": 1, "model": "m",
             "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}))

    @staticmethod
    def events(prose, calls):
        def chunk(delta, finish=None):
            return "data: " + text(chat.ChatCompletionChunk.model_validate(
                {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
                 "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})) + "\n\n"
        yield from (chunk({"content": piece}) for piece in pieces(prose))
        for i, (name, given) in enumerate(calls):
            yield chunk({"tool_calls": [{"index": i, "id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": ""}}]})
            for piece in pieces(json.dumps(given)):
                yield chunk({"tool_calls": [{"index": i, "function": {"arguments": piece}}]})
        yield chunk({}, "tool_calls")
        yield "data: [DONE]\n\n"


class Responses:
    @staticmethod
    def check(body, stream):
        taken(responses_params.ResponseCreateParamsStreaming if stream else responses_params.ResponseCreateParamsNonStreaming, body)
        calls = [item["call_id"] for item in body["input"] if item.get("type") == "function_call"]
        return calls == [item["call_id"] for item in body["input"] if item.get("type") == "function_call_output"], body["input"]

    @staticmethod
    def response(prose, calls):
        message = {"id": "m", "type": "message", "role": "assistant", "status": "completed",
                   "content": [{"type": "output_text", "text": prose, "annotations": []}]}
        output = [message] + [{"type": "function_call", "id": f"fc_{i}", "call_id": f"call_{i}", "name": name,
                               "arguments": json.dumps(given), "status": "completed"} for i, (name, given) in enumerate(calls)]
        return {"id": "r", "object": "response", "created_at": 1, "model": "m", "status": "completed", "output": output,
                "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}

    @classmethod
    def whole(cls, prose, calls):
        return text(responses.Response.model_validate(cls.response(prose, calls)))

    @classmethod
    def events(cls, prose, calls):
        def event(kind, **members):
            made = kind.model_validate(members)
            return f"event: {made.type}\ndata: {text(made)}\n\n"
        for piece in pieces(prose):
            yield event(responses.ResponseTextDeltaEvent, type="response.output_text.delta", delta=piece, item_id="m", output_index=0,
                        content_index=0, sequence_number=1, logprobs=[])
        for i, (name, given) in enumerate(calls):
            yield event(responses.ResponseOutputItemAddedEvent, type="response.output_item.added", output_index=i + 1, sequence_number=2,
                        item={"type": "function_call", "id": f"fc_{i}", "call_id": f"call_{i}", "name": name, "arguments": ""})
            for piece in pieces(json.dumps(given)):
                yield event(responses.ResponseFunctionCallArgumentsDeltaEvent, type="response.function_call_arguments.delta",
                            delta=piece, item_id=f"fc_{i}", output_index=i + 1, sequence_number=3)
        yield event(responses.ResponseCompletedEvent, type="response.completed", sequence_number=4, response=cls.response(prose, calls))


class Anthropic:
    @staticmethod
    def check(body, stream):
        taken(anthropic_params.MessageCreateParamsStreaming if stream else anthropic_params.MessageCreateParamsNonStreaming, body)
        for before, after in zip(body["messages"], body["messages"][1:]):
            calls = [b["id"] for b in before["content"] if isinstance(b, dict) and b["type"] == "tool_use"]
            results = [b["tool_use_id"] for b in after["content"] if isinstance(b, dict) and b["type"] == "tool_result"]
            if calls != results:
                return False, body["messages"]
        return True, body["messages"]

    @staticmethod
    def message(content, reason):
        return {"id": "msg", "type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": reason,
                "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 5}}

    @classmethod
    def whole(cls, prose, calls):
        content = [{"type": "text", "text": prose, "citations": None}]
        content += [{"type": "tool_use", "id": f"toolu_{i}", "name": name, "input": given} for i, (name, given) in enumerate(calls)]
        return text(anthropic.Message.model_validate(cls.message(content, "tool_use")))

    @classmethod
    def events(cls, prose, calls):
        def event(kind, **members):
            made = kind.model_validate(members)
            return f"event: {made.type}\ndata: {text(made)}\n\n"

        def block(index, begin, deltas):
            yield event(anthropic.RawContentBlockStartEvent, type="content_block_start", index=index, content_block=begin)
            for delta in deltas:
                yield event(anthropic.RawContentBlockDeltaEvent, type="content_block_delta", index=index, delta=delta)
            yield event(anthropic.RawContentBlockStopEvent, type="content_block_stop", index=index)
        yield event(anthropic.RawMessageStartEvent, type="message_start", message=cls.message([], None))
        yield from block(0, {"type": "text", "text": ""}, [{"type": "text_delta", "text": piece} for piece in pieces(prose)])
        for i, (name, given) in enumerate(calls):
            yield from block(i + 1, {"type": "tool_use", "id": f"toolu_{i}", "name": name, "input": {}},
                             [{"type": "input_json_delta", "partial_json": piece} for piece in pieces(json.dumps(given))])
        yield event(anthropic.RawMessageDeltaEvent, type="message_delta", delta={"stop_reason": "tool_use", "stop_sequence": None},
                    usage={"output_tokens": 5})
        yield event(anthropic.RawMessageStopEvent, type="message_stop")


class Gemini:
    @staticmethod
    def check(body, stream):
        for content in body["contents"]:
            gemini.Content.model_validate(content)
        for tool in body["tools"]:
            gemini.Tool.model_validate(tool)
        calls = [p for c in body["contents"] for p in c["parts"] if "functionCall" in p]
        results = [p for c in body["contents"] for p in c["parts"] if "functionResponse" in p]
        alike = [p["functionCall"]["name"] for p in calls] == [p["functionResponse"]["name"] for p in results]
        signed = not calls or calls[0].get("thoughtSignature") == "c2lnbmVk"  # on the first
        return alike and signed, body["contents"]

    @staticmethod
    def whole(prose, calls):
        parts = [{"text": prose}] + [{"functionCall": {"name": name, "args": given}} for name, given in calls]
        parts[1]["thoughtSignature"] = "c2lnbmVk"
        return text(gemini.GenerateContentResponse.model_validate(
            {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}], "modelVersion": "m"}))

    @classmethod
    def events(cls, prose, calls):
        yield "data: " + cls.whole(prose, calls) + "\n\n"


APIS = {"openai_chat": Chat, "openai_responses": Responses, "anthropic_messages": Anthropic, "gemini": Gemini}


class Server(LlmServer):
    """Answers one conversation in one dialect; `problems` are its complaints about requests."""

    def __init__(self, dialect, stream):
        self.api, self.stream, self.problems, self.requests = APIS[dialect], stream, [], 0
        super().__init__(self.answer)

    def answer(self, body):
        try:
            answered, conversation = self.api.check(body, self.stream)
            if not answered:
                self.problems.append(conversation)
            if len(body["tools"] if self.api is not Gemini else body["tools"][0]["functionDeclarations"]) != 7:
                self.problems.append(body["tools"])
        except Exception as problem:  # the types may raise anything
            self.problems.append(repr(problem)[:2000])
        calls = LAST if self.requests else CALLS
        self.requests += 1
        return 200, (self.api.events if self.stream else self.api.whole)("Let me see.", calls)


def converses(dialect, stream):
    out = f"{dialect}-{stream}"
    with Server(dialect, stream) as server:
        must("run", "talk.yaml", "-q", "-o", out, f"llm.dialect={dialect}", f"llm.stream={str(stream).lower()}",
             f"llm.base_url={server.address}{PATHS[dialect]}")
    assert not server.problems, (dialect, server.problems)
    assert server.requests == 2, server.requests
    made = rows(out, "SELECT s.text FROM candidate c JOIN genome g ON g.id = c.genome_id JOIN source s ON s.id = g.source_id "
                     "WHERE c.operator = 'llm_agent'")
    told = rows(out, "SELECT n.text FROM message m JOIN note n ON n.id = m.text_id WHERE m.role = 'tool'")
    assert made == [(SOURCE,)], made
    assert len(told) == 2 and told[0][0].startswith("### ") and "parent" in told[1][0], told


def main():
    fresh_folder("conversations")
    write({"talk.yaml": CONFIG})
    for dialect in PATHS:
        for stream in (True, False):
            converses(dialect, stream)
    print(f"{len(PATHS)} dialects, whole and streamed: calls arrive, results go back, and the providers' types take every request")


if __name__ == "__main__":
    main()
