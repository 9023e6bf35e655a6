"""Counting tokens offline."""

from __future__ import annotations

import os

import pytest

from hermes_tool_router.benchmarks import vocabulary


def test_tokens_are_counted_exactly_without_a_download(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy that nobody can reach changes nothing, and the environment is as before."""
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)

    counter = vocabulary.load()

    assert counter.exact
    assert counter.count("hello world") == 2
    assert counter.count("Grüße, 世界 <|endoftext|>") == counter.count("Grüße, 世界") + 7
    assert "TIKTOKEN_CACHE_DIR" not in os.environ
