"""Every exception that the HTTP libraries can raise becomes one of ours."""

from __future__ import annotations

import inspect
import socket
import ssl
from types import ModuleType

import httpcore
import httpx
import openai
import pytest

from hermes_tool_router.classifier.errors import (
    ClassifierError,
    DeadlineError,
    MalformedError,
    StatusError,
    UnexpectedError,
    UnreachableError,
    mapped,
)
from hermes_tool_router.classifier.sdk import sdk_error

REQUEST = httpx.Request("POST", "https://host.example/secret-path")
RESPONSE = httpx.Response(418, request=REQUEST, text="secret body")


def exceptions_of(module: ModuleType) -> list[type[Exception]]:
    """Public exception classes of a library."""
    return sorted(
        {
            member
            for name, member in list(vars(module).items())
            if inspect.isclass(member) and issubclass(member, Exception) and name[0] != "_"
        },
        key=lambda kind: kind.__name__,
    )


def instance(kind: type[Exception]) -> Exception:
    """An instance without going through its constructor, which each writes differently."""
    error = kind.__new__(kind)
    error.args = ("secret message",)
    if isinstance(error, openai.APIStatusError):
        error.status_code = RESPONSE.status_code
    if isinstance(error, httpx.HTTPStatusError):
        error.response = RESPONSE
    return error


def ours(error: Exception) -> ClassifierError:
    """The error through the boundary that meets it."""
    return sdk_error(error) if isinstance(error, openai.OpenAIError) else mapped(error)


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, id=f"{module.__name__}.{kind.__name__}")
        for module in (httpx, httpcore, openai)
        for kind in exceptions_of(module)
    ],
)
def test_library_exception_is_mapped_without_its_message(kind: type[Exception]) -> None:
    """Their messages can quote request and response; the class name is enough."""
    error = ours(instance(kind))

    assert isinstance(error, ClassifierError)
    assert str(error) == kind.__name__


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        pytest.param(httpx.ReadTimeout("x"), DeadlineError, id="read timeout"),
        pytest.param(httpx.PoolTimeout("x"), DeadlineError, id="no connection free in time"),
        pytest.param(openai.APITimeoutError(REQUEST), DeadlineError, id="timeout of the SDK"),
        pytest.param(TimeoutError(), DeadlineError, id="timeout of the socket"),
        pytest.param(httpx.ConnectError("x"), UnreachableError, id="refused"),
        pytest.param(httpx.RemoteProtocolError("x"), UnreachableError, id="cut short"),
        pytest.param(
            openai.APIConnectionError(request=REQUEST), UnreachableError, id="refused, says the SDK"
        ),
        pytest.param(ssl.SSLError("x"), UnreachableError, id="TLS"),
        pytest.param(socket.gaierror("x"), UnreachableError, id="no such host"),
        pytest.param(httpx.DecodingError("x"), MalformedError, id="broken compression"),
        pytest.param(httpx.LocalProtocolError("x"), UnexpectedError, id="a header of ours"),
        pytest.param(ZeroDivisionError(), UnexpectedError, id="anything else"),
    ],
)
def test_exception_has_the_meaning(error: Exception, expected: type[ClassifierError]) -> None:
    """The classes that matter, one by one."""
    assert type(ours(error)) is expected


def test_our_own_error_inside_a_foreign_one_is_found() -> None:
    """The SDK wraps whatever its transport raises."""
    inner = StatusError("http 503", status=503, retryable=True)
    outer = openai.APIConnectionError(request=REQUEST)
    outer.__cause__ = inner

    assert sdk_error(outer) is inner
