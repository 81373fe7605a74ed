"""The APIs of language models that the client speaks, with the path that each has below a server's address."""

PATHS = {"openai_chat": "/v1", "openai_responses": "/v1", "anthropic_messages": "/v1", "gemini": "/v1beta"}
