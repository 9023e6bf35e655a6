"""Names of identifiers and environment variables: which ones announce a secret."""

from __future__ import annotations

import pytest

from hermes_tool_router.sanitizer import PatternTable, secret_names
from hermes_tool_router.sanitizer.names import family_of


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("DB_PASSWORD", "password"),
        ("dbPassword", "password"),
        ("spring.datasource.password", "password"),
        ("PGPASSWORD", "password"),
        ("apiKey", "token"),
        ("X-Goog-Api-Key", "token"),
        ("AWS_SECRET_ACCESS_KEY", "token"),
        ("token_2", "token"),
        ("SECRET_KEY_BASE", "token"),
        ("password_prod", "password"),
        ("REDIS_AUTH", "token"),
        ("PLANETSCALE_KEY", "key"),
        ("GITHUB_TOKEN_ACME", "weak"),
        ("max_tokens", ""),
        ("token_count", ""),
        ("next_page_token", ""),
        ("tokenizer", ""),
        ("primary_key", ""),
        ("password_length", ""),
        ("AUTH_TOKEN_TTL", ""),
        ("secretary", ""),
        ("author", ""),
        ("bypass", ""),
        ("keyboard", ""),
        ("x" * 97 + "_password", ""),
    ],
)
def test_name_announces(table: PatternTable, name: str, family: str) -> None:
    """The last noun decides, and what stands beside it."""
    assert family_of(name, table.labels) == family


def test_environment_secrets_are_chosen_by_name_and_by_url(table: PatternTable) -> None:
    """Paths, short values and ordinary settings are left out; a URL counts with its password."""
    environ = {
        "OPENAI_API_KEY": "abcdef-123456",
        "DB_PASSWORD": "swordfish",
        "DATABASE_URL": "postgres://app:hunter22x@db/shop",
        "SSH_KEY_PATH": "/home/sam/.ssh/id",
        "TOKEN": "short",
        "AUTH_URL": "https://login.example.com",
        "LANG": "en_US.UTF-8",
        "SECRET_FILE": "/run/secrets/x",
        "MASTER_KEY": "/etc/keys/master",
        "EMPTY_TOKEN": "",
    }

    chosen = secret_names(environ, table)

    assert chosen == {
        "OPENAI_API_KEY": "abcdef-123456",
        "DB_PASSWORD": "swordfish",
        "DATABASE_URL": "hunter22x",
    }
