"""The container, done by its own Dockerfile without an engine; its proxy, where nginx is."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from http.client import HTTPConnection
from importlib.metadata import requires

import pytest
from containers import DOCKERFILE, ROOT, Container, command, copied, ended, environment, listing, of
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from proxies import answered, needs_nginx, proxied
from stores import TINY
from waiting import wait_until
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from explorer.hosting import upkeep
from explorer.hosting.settings import PORTS, Settings, gathered
from explorer.runs import maintenance
from explorer.runs.store import Store
from explorer.spec import amended

LONG = amended(TINY, steps=1_000_000)
GRACE = 10  # seconds that an engine waits before it kills
posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
PACKAGES = ROOT / ".hosting" / "packages.txt"
SPACE = (ROOT / ".hosting" / "space.md").read_text("utf-8")


@pytest.fixture
def image(tmp_path):
    folder = tmp_path / "image"
    folder.mkdir()
    copied(folder)
    yield folder
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755)  # or nobody could remove it


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


def test_the_image_is_of_one_port_one_folder_and_a_user_without_rights():
    said = environment()
    assert of("USER") == ["explorer"] and of("VOLUME") == [said["EXPLORER_HOME"]]
    assert of("EXPOSE") == [said["EXPLORER_PORT"]] and of("STOPSIGNAL") == ["SIGTERM"]
    assert gathered({}, said).address == "0.0.0.0"
    allowed = set((ROOT / ".dockerignore").read_text("utf-8").split())
    sources = [word for rest in of("COPY") if "--from" not in rest for word in rest.split()[:-1]]
    assert {f"!{source}" for source in sources} <= allowed


def test_what_the_image_installs_is_named_by_hash_and_is_all_that_is_needed():
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    asked = [
        Requirement(line.partition("  #")[0])
        for line in lines
        if not line.startswith(("#", "torch"))
    ]
    asked += map(Requirement, requires("torch") or ())  # it is a build for CPUs, as the image's
    packages = PACKAGES.read_text("utf-8")
    hashed = r"^([a-z0-9-]+)==(\S+)(?: \\\n +--hash=sha256:[0-9a-f]{64})+$"
    found = dict(re.findall(hashed, packages, re.M))
    assert len(found) == packages.count("==")
    for each in asked:
        if not each.marker or each.marker.evaluate({"extra": ""}):
            assert each.specifier.contains(found[canonicalize_name(each.name)]), each


def test_what_it_is_built_from_is_named_by_digest():
    compose, dockerfile = (ROOT / "compose.yaml").read_text("utf-8"), DOCKERFILE.read_text("utf-8")
    named = re.findall(r"^(?:ARG PYTHON=| +image: )(\S+)$", dockerfile + compose, re.M)
    assert len(named) == 2 and dockerfile.count("FROM ") == dockerfile.count("FROM ${PYTHON}") == 2
    for image in named:
        assert re.fullmatch(r"[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}", image), image
    assert f"--require-hashes -r {PACKAGES.name}" in dockerfile and "pip check" in dockerfile
    assert re.findall(r"^torch==\S+", (ROOT / "requirements.txt").read_text("utf-8"), re.M)
    assert "grep '^torch==' requirements.txt" in dockerfile


@posix
def test_it_is_healthy_and_ends_in_its_grace_with_every_run_kept(image, data):
    """Read-only files, one writable folder, SIGTERM while a run trains and others wait."""
    container, before = Container(image, data), listing(image)
    store = Store(data)
    runs = [store.create(amended(LONG, seed=seed)) for seed in range(2)]
    steps = []
    for _ in range(2):  # what was kept goes on by itself at the next start
        with container.started() as server:
            wait_until(lambda: store.get(runs[0]).step > sum(steps[-1:]))
            seconds, code = ended(server)
        row = store.get(runs[0])
        assert seconds < GRACE and row.status == "queued", container.log()
        assert code in (0, -signal.SIGTERM), "uvicorn sends it to itself again, once it is done"
        assert (store.folder(row.run) / row.checkpoint).is_file() and str(
            row.step
        ) in row.checkpoint
        assert store.waiting() == runs, "it keeps its place"
        steps.append(row.step)
    assert steps[0] < steps[1]
    assert maintenance.check(store) == [] and upkeep.left_over(store) == []
    assert listing(image) == before, "nothing is written beside the data"
    lines = [json.loads(line) for line in container.log().splitlines()]
    assert all({"time", "level", "logger", "said"} <= set(line) for line in lines)


@posix
def test_a_space_has_it_in_a_frame_on_one_port(image, data):
    variables = dict(re.findall(r"`(EXPLORER_\w+)=(\S+)`", SPACE))
    assert re.search(rf"^app_port: {environment()['EXPLORER_PORT']}$", SPACE, re.M)
    container = Container(image, data, **variables)
    host = "somebody-explorer.hf.space"
    with container.started():
        connection = HTTPConnection("127.0.0.1", container.port, timeout=30)
        connection.request("GET", "/", headers={"Host": host})
        said = connection.getresponse().headers["content-security-policy"]
        assert "frame-ancestors 'self' https://huggingface.co" in said
        socket_is_opened_by(f"ws://127.0.0.1:{container.port}/_stcore/stream", host)


def socket_is_opened_by(url, host):
    """The page's socket opens for a page of that host, and for no other."""
    port = int(re.search(r":(\d+)", url)[1])
    named = url.replace(f"127.0.0.1:{port}", host)
    for origin, opens in ((f"https://{host}", True), ("https://evil.example", False)):
        plain = socket.create_connection(("127.0.0.1", port))
        try:
            with connect(named, sock=plain, origin=origin, proxy=None):
                assert opens
        except InvalidStatus as refused:
            assert not opens and refused.response.status_code == 403


@posix
@needs_nginx
def test_the_proxy_passes_pages_and_sockets_on_below_its_path(image, data, tmp_path):
    container = Container(
        image,
        data,
        EXPLORER_BASE_PATH="explorer",
        EXPLORER_HOSTS="127.0.0.1",
        EXPLORER_PUBLIC="true",
        EXPLORER_TRUSTED_PROXY="*",
    )
    with container.started(), proxied(f"127.0.0.1:{container.port}", tmp_path) as address:
        assert answered(address, "/explorer/healthz")[0] == 200
        status, page = answered(address, "/explorer/train")
        assert status == 200 and "<script" in page
        socket_is_opened_by(f"ws://{address}/explorer/_stcore/stream", address)


def test_compose_has_the_settings_the_folder_and_the_grace():
    yaml = pytest.importorskip("yaml")
    services = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
    explorer, proxy = services["explorer"], services["proxy"]
    names = {f"EXPLORER_{name.upper()}" for name in Settings.model_fields}
    assert set(explorer["environment"]) <= names and explorer["read_only"]
    assert explorer["volumes"] == [f"data:{environment()['EXPLORER_HOME']}"]
    assert int(explorer["stop_grace_period"][:-1]) > int(explorer["environment"]["EXPLORER_GRACE"])
    assert (ROOT / proxy["volumes"][0].split(":")[0]).is_file()
    config = (ROOT / ".hosting" / "nginx.conf").read_text("utf-8")
    first = int(environment()["EXPLORER_PORT"])
    assert [int(each) for each in re.findall(r"server explorer:(\d+) max_fails=0;", config)] == [
        first + i for i in range(PORTS)
    ]
    assert f"location /{explorer['environment']['EXPLORER_BASE_PATH']}/" in config
    address, _, inside = re.fullmatch(r"(.+):(\d+):(\d+)", proxy["ports"][0]).groups()
    assert address == "${EXPLORER_BIND:-127.0.0.1}", (
        "nobody's but this machine's, unless it is said"
    )
    assert f"listen {inside};" in config and "ports" not in explorer
    said = {
        name: re.sub(r"\$\{\w+:-(.*)\}", r"\1", str(value))
        for name, value in explorer["environment"].items()
    }
    settings = gathered({}, said)
    assert not settings.public and 0 < settings.sessions <= 200
    assert all({"mem_limit", "pids_limit"} <= service.keys() for service in services.values())
    limits, trainings = settings.limits, 2
    together = trainings * limits.memory_megabytes + PORTS * limits.page_megabytes
    assert int(explorer["mem_limit"][:-1]) * 1000 > together


@posix
@pytest.mark.slow
def test_what_is_required_is_enough_on_a_fresh_machine(image, data, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    torch = re.findall(r"^torch==\S+", (image / "requirements.txt").read_text("utf-8"), re.M)
    for words in (["--no-deps", *torch], ["--require-hashes", "-r", str(PACKAGES)]):
        subprocess.run([python, "-m", "pip", "install", "-q", *words], check=True, timeout=1800)
    subprocess.run([python, "-m", "pip", "check"], check=True)
    container, store = Container(image, data, python=python), Store(data)
    run = store.create(LONG)
    with container.started() as server:
        wait_until(lambda: store.get(run).step > 0)
        assert ended(server)[0] < GRACE
    assert store.get(run).status == "queued" and command()[0] == "python"
