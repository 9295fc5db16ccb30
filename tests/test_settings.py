"""Settings: layers, defaults, and what is said of a wrong one."""

import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from gateway.errors import SettingsError
from gateway.policy.rule import Rule
from gateway.settings import Settings, load_settings

KEY = "k" * 32
DIGEST = "0" * 64


@pytest.fixture(autouse=True)
def _no_settings_of_ours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("GATEWAY_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def refusal(**flags: object) -> str:
    with pytest.raises(SettingsError) as caught:
        load_settings(**flags)
    assert caught.value.reason == "bad_setting"
    return str(caught.value)


def test_the_environment_is_overruled_by_the_file_and_the_file_by_flags(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """[ours] Environment, gateway.toml, flags, in rising order."""
    for name in ("BUCKET", "PREFIX", "REGION"):
        monkeypatch.setenv(f"GATEWAY_{name}", "environment")
    (tmp_path / "gateway.toml").write_text('prefix = "file"\nregion = "file"\n')
    settings = load_settings(region="flag", page_size=None)
    assert (settings.bucket, settings.prefix, settings.region) == ("environment", "file/", "flag")
    assert settings.page_size == 50


def test_a_file_is_named_by_flag_or_variable_and_otherwise_found_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """[ours]"""
    for name in ("gateway", "other", "flagged"):
        (tmp_path / f"{name}.toml").write_text(f'bucket = "{name}"\n')
    assert load_settings().bucket == "gateway"
    monkeypatch.setenv("GATEWAY_CONFIG", "other.toml")
    assert load_settings().bucket == "other"
    assert load_settings(Path("flagged.toml")).bucket == "flagged"


def test_every_type_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """[ours] Lists by commas, booleans and numbers as text."""
    values = {
        "BUCKET": "skills",
        "ALLOW_BINARY": "true",
        "PAGE_SIZE": "1000",
        "READ_TIMEOUT_S": "0.5",
        "CURSOR_KEYS": f"{KEY}, {KEY}2",
        "ALLOWED_HOSTS": "Skills.Example.com,10.0.0.1:8000,[::1]:*",
        "ALLOWED_ORIGINS": "https://App.example.com/",
        "LOG_LEVEL": "DEBUG",
        "MOUNT": "acme/tools",
    }
    for name, value in values.items():
        monkeypatch.setenv(f"GATEWAY_{name}", value)
    assert load_settings() == Settings(
        bucket="skills",
        allow_binary=True,
        page_size=1000,
        read_timeout_s=0.5,
        cursor_keys=(KEY, KEY + "2"),
        allowed_hosts=("skills.example.com", "10.0.0.1:8000", "[::1]:*"),
        allowed_origins=("https://app.example.com",),
        log_level="debug",
        mount="acme/tools",
    )


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """[ours] Compose files write NAME=${NAME:-}."""
    monkeypatch.setenv("GATEWAY_ENDPOINT_URL", "")
    monkeypatch.setenv("GATEWAY_PORT", "")
    assert load_settings(bucket="skills") == Settings(bucket="skills")


def test_settings_made_by_hand_read_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """[ours] Tests and embedders pass values."""
    monkeypatch.setenv("GATEWAY_PAGE_SIZE", "7")
    monkeypatch.setenv("GATEWAY_NONSENSE", "1")
    assert Settings(bucket="skills").page_size == 50
    with pytest.raises(ValidationError, match="frozen"):
        Settings(bucket="skills").page_size = 7  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("page_size", "0", "GATEWAY_PAGE_SIZE is '0': needs a whole number from 1 to 1000"),
        ("page_size", "many", "GATEWAY_PAGE_SIZE is 'many': needs a whole number from 1 to 1000"),
        ("port", "70000", "GATEWAY_PORT is '70000': needs a whole number from 0 to 65535"),
        ("max_skill_keys", "0", "GATEWAY_MAX_SKILL_KEYS is '0': needs a whole number of 1 or more"),
        ("read_timeout_s", "0", "GATEWAY_READ_TIMEOUT_S is '0': needs a number above 0, at most 86400"),
        ("read_timeout_s", "nan", "GATEWAY_READ_TIMEOUT_S is 'nan': needs a number above 0, at most 86400"),
        ("allow_binary", "maybe", "GATEWAY_ALLOW_BINARY is 'maybe': needs true or false"),
        ("addressing_style", "dns", "GATEWAY_ADDRESSING_STYLE is 'dns': needs one of auto, path, virtual"),
        ("auth", "baerer", "GATEWAY_AUTH is 'baerer': needs one of none, bearer"),
        ("log_level", "loud", "GATEWAY_LOG_LEVEL is 'loud': needs one of debug, info, warning, error"),
        ("bucket", "s3://skills/x", "GATEWAY_BUCKET is 's3://skills/x': needs the bucket's name alone"),
        ("bucket", "a b c", "GATEWAY_BUCKET is 'a b c': needs 3 or more letters"),
        ("prefix", "/team", "GATEWAY_PREFIX is '/team': starts with '/', and no S3 key does; write 'team'"),
        ("prefix", "a//b", "GATEWAY_PREFIX is 'a//b': has an empty segment"),
        ("prefix", "a/../b", "GATEWAY_PREFIX is 'a/../b': has a '..' segment"),
        ("mount", "acme/", "GATEWAY_MOUNT is 'acme/': has an empty segment"),
        ("mount", "/".join("abcdefghijklmnop"), "GATEWAY_MOUNT is 'a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p': has 16 segments"),
        ("mount", "é" * 50, f"GATEWAY_MOUNT is '{'é' * 50}': takes 308 bytes of every URI; needs at most 256"),
        ("mount", "./acme", "GATEWAY_MOUNT is './acme': has a '.' segment"),
        ("region", "eu west", "GATEWAY_REGION is 'eu west': needs a region's name"),
        ("endpoint_url", "minio:9000", "GATEWAY_ENDPOINT_URL is 'minio:9000': needs a URL"),
        ("endpoint_url", "http://a/?b", "GATEWAY_ENDPOINT_URL is 'http://a/?b': has a query or a fragment"),
        ("public_url", "http://a:99999", "GATEWAY_PUBLIC_URL is 'http://a:99999': needs a URL"),
        ("path", "mcp", "GATEWAY_PATH is 'mcp': needs a path like /mcp"),
        ("path", "/readyz", "GATEWAY_PATH is '/readyz': is a path that answers something else"),
        ("allowed_hosts", "a.example,*", "GATEWAY_ALLOWED_HOSTS[1] is '*': needs a host name or address"),
        ("allowed_origins", "app.example", "GATEWAY_ALLOWED_ORIGINS[0] is 'app.example': needs an origin"),
        ("allowed_origins", "null", "GATEWAY_ALLOWED_ORIGINS[0] is 'null': needs an origin"),
        ("host", "0.0.0.0", "GATEWAY_HOST is '0.0.0.0': can be reached from other machines"),
        ("workers", "2", "GATEWAY_WORKERS is '2': needs GATEWAY_CURSOR_KEYS"),
        ("source", "bucket", "GATEWAY_SOURCE is 'bucket': needs"),
        ("channel", "Stable", "GATEWAY_CHANNEL is 'Stable': needs 1 to 64 lower-case letters"),
        ("channel", "0123456789abcdef0123", "GATEWAY_CHANNEL is '0123456789abcdef0123': needs 1 to 64 lower-case"),
        ("release", "v1", "GATEWAY_RELEASE is 'v1': needs the 20 hexadecimal digits"),
        ("trusted_keys", "abc", "GATEWAY_TRUSTED_KEYS[0] is 'abc': needs ed25519: and 32 bytes"),
        ("auth", "basic", "GATEWAY_AUTH is 'basic': needs"),
        ("auth", "bearer", "GATEWAY_AUTH is 'bearer': needs GATEWAY_AUTH_ISSUERS or GATEWAY_API_KEYS"),
        (
            "auth_issuers",
            "http://idp.example",
            "GATEWAY_AUTH_ISSUERS[0] is 'http://idp.example': must begin",
        ),
        ("auth_keys_url", "ftp://a", "GATEWAY_AUTH_KEYS_URL is 'ftp://a': must begin with https"),
    ],
)
def test_a_wrong_value_is_refused_with_its_name_the_value_and_what_is_expected(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    """[ours] ours."""
    monkeypatch.setenv("GATEWAY_BUCKET", "skills")
    monkeypatch.setenv(f"GATEWAY_{name.upper()}", value)
    said = refusal()
    assert said.startswith(message)
    assert "\n" not in said


def test_an_api_key_in_the_place_of_its_line_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """[ours] No secret is ever logged."""
    monkeypatch.setenv("GATEWAY_BUCKET", "skills")
    monkeypatch.setenv("GATEWAY_API_KEYS", "skg_ci_hunter2")
    said = refusal()
    assert said.startswith("GATEWAY_API_KEYS[0] ")
    assert "apikey new" in said
    assert "hunter2" not in said


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"auth_issuers": "https://idp.example"}, "GATEWAY_AUTH is '': needs to be bearer"),
        ({"auth_issuers": "https://idp.example", "auth": "none"}, "GATEWAY_AUTH is 'none': needs to be bearer"),
        (
            {
                "auth": "bearer",
                "auth_issuers": "https://a.example,https://b.example",
                "auth_keys_url": "https://a.example/k",
            },
            "GATEWAY_AUTH is 'bearer': has GATEWAY_AUTH_KEYS_URL, which is for exactly one",
        ),
        ({"host": "0.0.0.0", "allowed_hosts": "a.example"}, "GATEWAY_HOST is '0.0.0.0': can be reached from other"),
    ],
    ids=str,
)
def test_who_may_call_must_be_said_and_fit(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], said: str
) -> None:
    """[ours] Nothing is open to other machines by accident."""
    monkeypatch.setenv("GATEWAY_BUCKET", "skills")
    for name, value in settings.items():
        monkeypatch.setenv(f"GATEWAY_{name.upper()}", value)
    assert refusal().startswith(said)


def test_a_wrong_value_is_named_as_the_user_wrote_it(tmp_path: Path) -> None:
    """[ours] A flag by its flag, a key by its file."""
    (tmp_path / "gateway.toml").write_text("port = true\nworkers = 1.5\n")
    assert refusal(bucket="skills", page_size=0).splitlines() == [
        "3 settings are wrong:",
        "  - --page-size is 0: needs a whole number from 1 to 1000",
        "  - gateway.toml: port is True: needs a whole number from 0 to 65535",
        "  - gateway.toml: workers is 1.5: needs a whole number from 1 to 64",
    ]


def test_every_wrong_setting_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """[ours] Nobody should mend a start one variable at a time; joint rules are no exception."""
    monkeypatch.setenv("GATEWAY_PORTT", "1")
    monkeypatch.setenv("GATEWAY_HOST", "0.0.0.0")
    monkeypatch.setenv("GATEWAY_WORKERS", "2")
    monkeypatch.setenv("GATEWAY_PREFIX", "/x")
    said = refusal()
    names = ("GATEWAY_PORTT", "GATEWAY_BUCKET", "GATEWAY_PREFIX", "GATEWAY_HOST", "GATEWAY_WORKERS")
    assert said.startswith("5 settings are wrong:")
    assert all(f"- {name} is " in said for name in names)


def test_a_key_is_never_shown_only_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """[ours] No secret is ever logged."""
    monkeypatch.setenv("GATEWAY_BUCKET", "skills")
    monkeypatch.setenv("GATEWAY_CURSOR_KEYS", f"{KEY},sixteen-bytes-ab")
    assert refusal() == "GATEWAY_CURSOR_KEYS[1] has 16 bytes, needs at least 32; run: skills-gateway keygen"
    assert KEY not in repr(Settings(bucket="skills", cursor_keys=(KEY,)))


def test_the_user_part_of_a_url_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """[ours]"""
    monkeypatch.setenv("GATEWAY_BUCKET", "skills")
    monkeypatch.setenv("GATEWAY_ENDPOINT_URL", "http://admin:hunter2@minio:9000")
    said = refusal()
    assert said.startswith("GATEWAY_ENDPOINT_URL is 'http://***@minio:9000': carries a user or password")
    assert "hunter2" not in said


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("GATEWAY_BUKET", "did you mean GATEWAY_BUCKET?"),
        ("GATEWAY_ALLOWED_HOST", "did you mean GATEWAY_ALLOWED_HOSTS?"),
        ("GATEWAY_SERVICE_PORT", "Kubernetes sets it for a Service called gateway"),
        ("GATEWAY_PORT_8000_TCP_ADDR", "Kubernetes sets it for a Service called gateway"),
    ],
)
def test_a_variable_that_is_no_setting_is_refused_with_a_hint(
    monkeypatch: pytest.MonkeyPatch, name: str, hint: str
) -> None:
    """[ours] A typo must not be silent."""
    monkeypatch.setenv(name, "x")
    said = refusal(bucket="skills")
    assert said.startswith(f"{name} is no setting; ")
    assert hint in said


def test_a_key_of_the_file_that_is_no_setting_is_refused(tmp_path: Path) -> None:
    """[ours]"""
    (tmp_path / "gateway.toml").write_text('page-size = 3\nquite_odd_thing = "x"\n')
    assert refusal(bucket="skills").splitlines()[1:] == [
        "  - 'page-size' in gateway.toml is no setting; did you mean page_size?",
        "  - 'quite_odd_thing' in gateway.toml is no setting",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"bucket = \n", "gateway.toml is not TOML: "),
        (
            b'bucket = "a"\nprefix = team/\n',
            "gateway.toml is not TOML: Invalid value (at line 2, column 10), the value of prefix; a text needs quotes",
        ),
        (b"[[rules]\n", "gateway.toml is not TOML: Expected ']]' at the end of an array declaration (at line 1"),
        (b'bucket = "a"\nregion = "\xe4"\n', "gateway.toml, line 2: not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_parsed_is_named_with_the_line(tmp_path: Path, content: bytes, message: str) -> None:
    """[ours] What is missing may be in that file, so it is not called missing."""
    (tmp_path / "gateway.toml").write_bytes(content)
    said = refusal()
    assert said.startswith(message)
    assert "line" in said
    assert "GATEWAY_BUCKET" not in said


def test_a_named_file_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """[ours] Only the unnamed one may be missing."""
    monkeypatch.setenv("GATEWAY_CONFIG", "nowhere.toml")
    assert refusal(bucket="skills").startswith("nowhere.toml cannot be read (No such file or directory)")
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(tmp_path, bucket="skills")


def test_on_a_loopback_address_the_loopback_names_are_answered() -> None:
    """[MCP Streamable HTTP, security] DNS rebinding is refused, a local client is not."""
    settings = Settings(bucket="skills", host="127.0.0.2")
    assert settings.accepted_hosts == ("localhost:*", "127.0.0.1:*", "[::1]:*")
    assert settings.accepted_origins == ("http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*")


@pytest.mark.parametrize(
    ("url", "hosts", "origin"),
    [
        ("https://S.example.com/", ("s.example.com", "s.example.com:443"), "https://s.example.com"),
        ("https://s.example.com:443", ("s.example.com", "s.example.com:443"), "https://s.example.com"),
        ("http://s.example.com:8080/x", ("s.example.com:8080",), "http://s.example.com:8080"),
    ],
)
def test_the_host_of_the_public_url_is_answered(url: str, hosts: tuple[str, ...], origin: str) -> None:
    """[RFC 9110 7.2] Clients leave a default port out of Host."""
    settings = Settings(bucket="skills", host="0.0.0.0", public_url=url, auth="none")
    assert settings.accepted_hosts == hosts
    assert settings.accepted_origins == (origin,)


def test_named_hosts_replace_the_loopback_names() -> None:
    """[ours]"""
    settings = Settings(bucket="skills", allowed_hosts=("a.example",), allowed_origins=("https://b.example",))
    assert settings.accepted_hosts == ("a.example",)
    assert settings.accepted_origins == ("https://b.example",)


@pytest.mark.parametrize(
    ("values", "endpoint"),
    [
        ({}, "http://127.0.0.1:8000/mcp"),
        ({"host": "::1", "port": 9000}, "http://[::1]:9000/mcp"),
        ({"public_url": "https://s.example.com/skills/", "path": "/v1/mcp"}, "https://s.example.com/skills/v1/mcp"),
    ],
)
def test_the_endpoint_is_what_a_client_connects_to(values: dict[str, object], endpoint: str) -> None:
    """[ours]"""
    assert Settings.model_validate({"bucket": "skills", **values}).endpoint == endpoint


def test_the_signing_keys_are_the_bytes_of_the_texts() -> None:
    """[ours] Several workers are fine with a key."""
    settings = Settings(bucket="skills", cursor_keys=(KEY,), workers=2)
    assert settings.signing_keys == (KEY.encode(),)
    assert Settings(bucket="skills").signing_keys == ()


def test_rules_are_tables_of_the_file(tmp_path: Path) -> None:
    """[ours] Who sees what."""
    rule = '[[rules]]\npaths = ["acme/**"]\ngroups = "billing"\n'
    (tmp_path / "gateway.toml").write_text(f'bucket = "skills"\nauth = "bearer"\napi_keys = ["ci:{DIGEST}"]\n{rule}')
    assert load_settings().rules == (Rule(paths=("acme/**",), groups=("billing",)),)
    (tmp_path / "gateway.toml").write_text(f'bucket = "skills"\n{rule}')
    assert "GATEWAY_AUTH is '': needs to be bearer, as a rule asks who calls" in refusal()
    (tmp_path / "gateway.toml").write_text(f'bucket = "skills"\n{rule}\n[[rules]]\npath = "x"\n')
    assert "rule 2 has 'path', which is no key of a rule; did you mean paths?" in refusal()


def test_variants_are_tables_of_the_file(tmp_path: Path) -> None:
    """[ours] What a table leaves out is as above; one that names a channel is not held to a release."""
    pinned = f'release = "{"a" * 20}"\n'
    beta = '[variants.beta]\nchannel = "beta"\nmount = "next"\n'
    (tmp_path / "gateway.toml").write_text(f'bucket = "skills"\nprefix = "of"\n{pinned}{beta}[variants.same]\n')
    settings = load_settings()
    found = {
        name: (one.prefix, one.channel, one.release, one.mount)
        for name in settings.variants
        for one in [settings.of_variant(name)]
    }
    assert found == {"beta": ("of/", "beta", "", "next"), "same": ("of/", "stable", "a" * 20, "")}
    assert [settings.path_of(name) for name in ("", "beta")] == ["/mcp", "/mcp/beta"]


def test_what_is_wrong_with_a_variant_is_named_by_table_and_key(tmp_path: Path) -> None:
    """[ours]"""
    (tmp_path / "gateway.toml").write_text(
        'bucket = "skills"\n[variants.default]\n[variants.b]\nprefix = "/x"\nchanel = "x"\n'
        'status = "old"\nrelease = 3\n'
    )
    told = refusal()
    for line in (
        "gateway.toml: variants.default is 'default': is no name of a variant; needs 1 to 64",
        "gateway.toml: variants.b.prefix is '/x': starts with '/'",
        "gateway.toml: variants.b.chanel is 'x': there is no such key; the keys are prefix, mount,",
        "gateway.toml: variants.b.status is 'old': needs 'stable', 'experimental' or 'deprecated'",
        "gateway.toml: variants.b.release is 3: needs a text",
    ):
        assert line in told
    (tmp_path / "gateway.toml").write_text('bucket = "skills"\n[[rules]]\npaths = "**"\nvariants = "gamma"\n')
    assert "rule 1 names the variant 'gamma'; there are default" in refusal()


@pytest.mark.parametrize("name", ["RULES", "VARIANTS"])
def test_tables_are_json_in_the_environment(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """[ours]"""
    monkeypatch.setenv("GATEWAY_BUCKET", "skills")
    monkeypatch.setenv(f"GATEWAY_{name}", "acme/**")
    assert refusal().startswith(f"GATEWAY_{name} is 'acme/**': not JSON (Expecting value")
    monkeypatch.setenv("GATEWAY_RULES", '[{"paths": ["acme/**"]}]')
    monkeypatch.setenv("GATEWAY_VARIANTS", '{"beta": {"channel": "beta"}}')
    settings = load_settings()
    assert (settings.rules, list(settings.variants)) == ((Rule(paths=("acme/**",)),), ["beta"])
