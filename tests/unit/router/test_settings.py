"""Layers of settings become one value, or one clear refusal."""

from __future__ import annotations

import pytest

from hermes_tool_router.router.errors import SettingsError
from hermes_tool_router.router.settings import Layer, Resolved, resolve, switched_off

PLACE = "plugins.entries.tool-router.settings"


def resolved(data: object, *, profile: str = "default", platform: str | None = None) -> Resolved:
    """Resolve one layer, as a user's settings alone."""
    return resolve([Layer(name=PLACE, data=data)], profile=profile, platform=platform)


class TestLayers:
    """Which of several values wins."""

    def test_no_layer_gives_the_shipped_defaults(self) -> None:
        """Without settings the plugin is off and would enforce routing once switched on."""
        settings = resolve([], profile="default").settings

        assert (settings.enabled, settings.mode) == (False, "enforce")

    def test_active_profile_wins_over_global(self) -> None:
        """Only the block of the active profile is applied."""
        data = {
            "profiles": {"work": {"mode": "shadow"}, "home": {"mode": "enforce"}},
            "global": {"enabled": True, "mode": "enforce"},
        }

        settings = resolved(data, profile="work").settings

        assert (settings.enabled, settings.mode) == (True, "shadow")

    def test_user_settings_win_over_a_profile_of_the_shipped_file(self) -> None:
        """The seed's install step works, and Hermes' own file can still switch it off."""
        shipped = Layer(
            name="config.yaml", data={"profiles": {"work": {"enabled": True}}}, shipped=True
        )
        chosen = Layer(name=PLACE, data={"global": {"enabled": False}})

        alone = resolve([shipped], profile="work").settings.enabled
        both = resolve([shipped, chosen], profile="work").settings.enabled

        assert (alone, both) == (True, False)

    def test_layers_merge_key_by_key(self) -> None:
        """A profile that sets one threshold keeps the others of global."""
        data = {
            "global": {"risk_gate": {"thresholds": {"impact": 1.0, "destructive": 0.5}}},
            "profiles": {"work": {"risk_gate": {"thresholds": {"impact": 2.0}}}},
        }

        thresholds = resolved(data, profile="work").settings.risk_gate.thresholds

        assert (thresholds.impact, thresholds.destructive) == (2.0, 0.5)

    @pytest.mark.parametrize(
        "data",
        [
            pytest.param({"enabled": True, "verify": {"max_nudges": 1}}, id="flat"),
            pytest.param({"global": {"enabled": True, "verify": {"max_nudges": 1}}}, id="grouped"),
            pytest.param(
                {"enabled": True, "global": {"verify": {"max_nudges": 1}}}, id="half and half"
            ),
        ],
    )
    def test_flat_keys_mean_the_same_as_global(self, data: object) -> None:
        """``global:`` may be left out."""
        settings = resolved(data).settings

        assert (settings.enabled, settings.verify.max_nudges) == (True, 1)

    @pytest.mark.parametrize("empty", [None, {}, {"global": None}, {"global": {"verify": None}}])
    def test_empty_groups_are_no_mistake(self, empty: object) -> None:
        """People comment out every key under a heading and leave the heading."""
        assert resolved(empty).settings == resolve([], profile="default").settings

    def test_origin_names_layer_and_path(self) -> None:
        """Status can say where a value comes from."""
        origin = resolved({"profiles": {"work": {"mode": "shadow"}}}, profile="work").origin

        assert origin == {"mode": f"{PLACE}: profiles.work.mode"}


SWITCHES = {
    "enabled": True,
    "platforms": {"telegram": {"enabled": False}, "cli": {}, "irc.freenode": {"enabled": True}},
}


class TestPlatforms:
    """One profile serves several platforms."""

    @pytest.mark.parametrize(
        ("platform", "enabled"),
        [
            pytest.param("telegram", False, id="its own switch"),
            pytest.param("cli", True, id="nothing said"),
            pytest.param("slack", True, id="not listed"),
            pytest.param(None, True, id="no platform known"),
            pytest.param("irc.freenode", True, id="a dot in the name"),
        ],
    )
    def test_switch_of_a_platform_wins(self, platform: str | None, enabled: bool) -> None:
        """The switch of the platform decides, otherwise the common one."""
        assert resolved(SWITCHES, platform=platform).settings.enabled is enabled

    def test_one_platform_may_be_the_only_one(self) -> None:
        """Off in general, on for one: the plugin must still be wired."""
        settings = resolved({"platforms": {"slack": {"enabled": True}}}).settings

        assert (settings.enabled, settings.enabled_anywhere) == (False, True)

    def test_misspelt_platform_is_mentioned(self) -> None:
        """Plugins add platforms, so an unknown one is a notice and no error."""
        notices = resolved({"platforms": {"telegarm": {"enabled": False}}}).notices

        assert len(notices) == 1
        assert "telegarm" in notices[0]
        assert "did you mean 'telegram'?" in notices[0]


class TestRefusals:
    """What is not understood is refused with the key, what is allowed, and the nearest key."""

    @pytest.mark.parametrize(
        ("data", "key", "words"),
        [
            pytest.param(
                {"global": {"flor_toolsetz": ["web"]}},
                "global.flor_toolsetz",
                ["unknown", "nearest known key: floor_toolsets", "allowed here: enabled, mode"],
                id="a misspelt key",
            ),
            pytest.param(
                {"global": {"risk_gate": {"timeout_s": 1}}},
                "global.risk_gate.timeout_s",
                ["nearest known key: system_one.timeout_s"],
                id="a key in the wrong group",
            ),
            pytest.param(
                {"global": {"mode": "enforec"}},
                "global.mode",
                ["'enforec'", "shadow or enforce", "did you mean 'enforce'?"],
                id="a misspelt word",
            ),
            pytest.param({"mode": False}, "mode", ["YAML reads on, off"], id="a bare off of YAML"),
            pytest.param(
                {"global": {"enabled": "perhaps"}}, "global.enabled", ["true or false"], id="text"
            ),
            pytest.param({"enabled": 1}, "enabled", ["true or false"], id="a number for a switch"),
            pytest.param({"global": ["enabled"]}, "global", ["is a list", "group of"], id="a list"),
            pytest.param(
                {"globl": {"enabled": True}},
                "globl",
                ["nearest known key: global", "allowed here: global, profiles, enabled"],
                id="a misspelt heading",
            ),
            pytest.param({"verify": 3}, "verify", ["is a number; allowed is a group"], id="number"),
            pytest.param([], "settings", ["group of keys"], id="settings are a list"),
            pytest.param("off", "settings", ["group of keys"], id="settings are text"),
            pytest.param(
                {"verify": True}, "verify", ["is true or false", "max_nudges"], id="a switch"
            ),
            pytest.param({"fail_open": False}, "fail_open", ["allowed: true"], id="fail closed"),
            pytest.param(
                {"router_hard_timeout_ms": 49},
                "router_hard_timeout_ms",
                ["a whole number from 50 to 10000 (ms)"],
                id="below the bound",
            ),
            pytest.param(
                {"router_hard_timeout_ms": 10001}, "router_hard_timeout_ms", [], id="above it"
            ),
            pytest.param(
                {"tool_shaping": {"min_confidence": 0.9}},
                "tool_shaping.min_confidence",
                ["from 0.95 to 1"],
                id="shaping below its floor",
            ),
            pytest.param(
                {"confidence_threshold": float("nan")}, "confidence_threshold", [], id="no number"
            ),
            pytest.param({"verify": {"max_nudges": True}}, "verify.max_nudges", [], id="a boolean"),
            pytest.param({"floor_toolsets": "web"}, "floor_toolsets", ["list of names"], id="text"),
            pytest.param({"floor_tools": [1]}, "floor_tools", ["list of names"], id="a number"),
            pytest.param({True: 1}, "True", ["quotes"], id="a key that YAML made a boolean"),
            pytest.param({"verify": {"": 1}}, "''", ["under 'verify'"], id="an empty key"),
            pytest.param(
                {"classifier": {"model": 1}}, "classifier.model", ["one line"], id="no text"
            ),
            pytest.param(
                {"classifier": {"base_url": 1}}, "classifier.base_url", [], id="no address"
            ),
            pytest.param(
                {"profiles": {"other": {"modus": 1}}},
                "profiles.other.modus",
                ["unknown"],
                id="a profile that is not active",
            ),
            pytest.param(
                {"platforms": {"cli": {"mode": "shadow"}}}, "platforms.cli.mode", [], id="platform"
            ),
            pytest.param(
                {"platforms": {"a.b": {"enabled": "x"}}}, "platforms.a.b.enabled", [], id="dots"
            ),
            pytest.param(
                {"mode": "shadow", "global": {"mode": "enforce"}},
                "mode",
                ["'global.mode'", "keep one"],
                id="set twice",
            ),
            pytest.param(
                {"global": {"classifier": {"enabled": True, "provider": "custom"}}},
                "global.classifier.base_url",
                ["needs base_url and model"],
                id="custom without an address",
            ),
        ],
    )
    def test_mistake_is_refused(self, data: object, key: str, words: list[str]) -> None:
        """The error carries the key as written, and the message says the rest."""
        with pytest.raises(SettingsError) as caught:
            resolved(data)

        assert caught.value.key == key
        assert repr(key)[1:-1] in str(caught.value)
        assert [word for word in words if word not in str(caught.value)] == []

    @pytest.mark.parametrize(
        "setting",
        [
            pytest.param({"api_key_env": "{secret}"}, id="a key for its name"),
            pytest.param({"base_url": "https://me:{secret}@example.org"}, id="a key in an address"),
            pytest.param({"base_url": "https://example.org/?key={secret}"}, id="a key in a query"),
            pytest.param({"model": "m\n{secret}"}, id="a key on a second line"),
        ],
    )
    def test_message_never_repeats_a_pasted_key(self, setting: dict[str, str]) -> None:
        """What may hold a secret by mistake stays out of Hermes' log."""
        secret = "sk-" + "0a" * 8
        data = {"classifier": {k: v.format(secret=secret) for k, v in setting.items()}}

        with pytest.raises(SettingsError) as caught:
            resolved(data)

        assert secret not in str(caught.value)

    @pytest.mark.parametrize(
        ("url", "accepted"),
        [
            ("https://example.org/v1", True),
            ("http://127.0.0.1:1234/v1", True),
            ("http://[::1]:8080", True),
            ("http://localhost:11434", True),
            ("http://192.168.1.5/v1", False),
            ("http://localhost.example.org/v1", False),
            ("ftp://example.org", False),
            ("https://", False),
            ("https://example.org:port", False),
        ],
    )
    def test_plain_http_stays_on_this_machine(self, url: str, accepted: bool) -> None:
        """Settings accept what the transport may use."""
        data = {"system_one": {"typesafe_base_url": url}}

        try:
            outcome = resolved(data).settings.system_one.typesafe_base_url == url
        except SettingsError:
            outcome = False

        assert outcome is accepted

    def test_key_like_no_other_gets_no_suggestion(self) -> None:
        """A wrong hint would be worse than none."""
        with pytest.raises(SettingsError) as caught:
            resolved({"xqzw": 1})

        assert "nearest" not in str(caught.value)
        assert "allowed here: global, profiles, enabled" in str(caught.value)


class TestNotices:
    """What a user may not expect is said once."""

    def test_retired_keys_are_ignored_with_one_notice(self) -> None:
        """Three retired keys, one sentence."""
        data = {
            "routing_scope": "first_turn",
            "global": {"enabled": True, "expansion_mode": "x", "shrink_mid_session": False},
        }

        result = resolved(data)

        assert result.settings.enabled
        assert len(result.notices) == 1
        assert "global.expansion_mode" in result.notices[0]

    def test_enforce_does_not_reach_the_gate_in_silence(self) -> None:
        """A gate switched on without a mode stays in shadow, and the user hears it."""
        data = {"enabled": True, "mode": "enforce", "risk_gate": {"enabled": True}}

        result = resolved(data)

        assert result.settings.risk_gate.mode == "shadow"
        assert [n for n in result.notices if "risk_gate.mode: enforce" in n] == list(result.notices)
        assert len(result.notices) == 1

    @pytest.mark.parametrize(
        "data",
        [
            pytest.param({"enabled": True}, id="gate on by default"),
            pytest.param(
                {"enabled": True, "risk_gate": {"enabled": True, "mode": "shadow"}}, id="own mode"
            ),
            pytest.param(
                {"enabled": True, "mode": "shadow", "verify": {"enabled": True}}, id="shadow"
            ),
            pytest.param({"enabled": True, "verify": {"enabled": False}}, id="switched off"),
        ],
    )
    def test_nothing_is_said_where_nothing_surprises(self, data: object) -> None:
        """No notice for what the user chose or never touched."""
        assert resolved(data).notices == ()

    def test_words_are_read_in_any_case(self) -> None:
        """``Enforce`` is never silently shadow."""
        settings = resolved({"mode": "Shadow", "risk_gate": {"mode": " ENFORCE "}}).settings

        assert (settings.mode, settings.risk_gate.mode) == ("shadow", "enforce")


class TestKillSwitch:
    """One variable switches the plugin off for a process."""

    @pytest.mark.parametrize("value", ["off", "OFF", " off ", "0", "false", "no", "stop", "ofF!"])
    def test_any_word_but_yes_switches_off(self, value: str) -> None:
        """Whoever mistypes ``off`` wanted stock Hermes."""
        assert switched_off({"HERMES_TOOL_ROUTER": value})

    @pytest.mark.parametrize("environ", [{}, *({"HERMES_TOOL_ROUTER": v} for v in ("", "on", "1"))])
    def test_unset_or_yes_leaves_it_on(self, environ: dict[str, str]) -> None:
        """It never switches on what settings leave off."""
        assert not switched_off(environ)
