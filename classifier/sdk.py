"""The openai SDK over our connections, its exceptions mapped.

Only the chat tier imports this: loading the SDK takes half a second.
"""

from __future__ import annotations

import httpx
import openai

from .errors import (
    ClassifierError,
    DeadlineError,
    MalformedError,
    StatusError,
    UnexpectedError,
    UnreachableError,
    own_error,
)

__all__ = ["post_completion", "sdk_error"]


def post_completion(http: httpx.Client, base: str, key: str, body: bytes) -> httpx.Response:
    """Send a chat completion request as it is.

    Our deadline and our one retry hold, and nothing comes from the SDK's
    environment variables.

    Args:
        http: connections of the lane.
        base: address that ``/chat/completions`` is appended to.
        key: empty: the SDK sends no header.
        body: JSON.

    Raises:
        openai.APIStatusError: the server refused; it holds the response.
        ClassifierError: anything else.
    """
    client = openai.OpenAI(
        api_key=key, base_url=base, http_client=http, max_retries=0, timeout=None
    )
    # It reads OPENAI_ORG_ID and OPENAI_PROJECT_ID and would send them to any host.
    client.organization = None
    client.project = None
    try:
        return client.post(
            "/chat/completions",
            cast_to=httpx.Response,
            content=body,
            options={"headers": {"Content-Type": "application/json"}},
        )
    except openai.APIStatusError:
        raise
    except openai.OpenAIError as error:
        raise sdk_error(error) from error


def sdk_error(error: openai.OpenAIError) -> ClassifierError:
    """Turn an exception of the SDK into one of ours.

    Returns:
        The error of ours that it was raised from, if there is one; else a new one
        whose message is the class name alone.
    """
    own = own_error(error)
    if own is not None:
        return own
    name = type(error).__name__
    match error:
        case openai.APIStatusError():
            return StatusError(name, status=error.status_code)
        case openai.APITimeoutError():
            return DeadlineError(name)
        case openai.APIConnectionError():
            return UnreachableError(name)
        case openai.APIResponseValidationError():
            return MalformedError(name)
        case openai.LengthFinishReasonError() | openai.ContentFilterFinishReasonError():
            return MalformedError(name)
        case _:
            return UnexpectedError(name)
