"""Files of a page under `/media/`, by the pinned Streamlit, which asks nobody who they are: what
keeps them from others is their names and how long they live (docs/hosting.md)."""

from contextlib import closing
from http.client import HTTPConnection

import pytest
from serving import serving
from starlette.applications import Starlette
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileKind
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.web.server.starlette.starlette_routes import create_media_routes

ZIP = ("application/zip", MediaFileKind.DOWNLOADABLE, "run.zip")


@pytest.fixture
def storage():
    return MemoryMediaFileStorage("/media")


@pytest.fixture
def ask(storage):
    """Status and content of a path."""
    with serving(Starlette(routes=create_media_routes(storage, None))) as address:

        def asked(path):
            with closing(HTTPConnection(address, timeout=10)) as connection:
                connection.request("GET", path)
                answer = connection.getresponse()
                return answer.status, answer.read()

        yield asked


def test_a_file_s_address_is_known_to_who_has_the_file(storage, ask):
    """128 bits of a hash of content, kind and name; nothing lists them, nothing shorter is one."""
    file = storage.load_and_get_id(b"of one visitor", *ZIP)
    assert len(file) == 32 and set(file) <= set("0123456789abcdef")
    assert file != storage.load_and_get_id(b"of one visitoR", *ZIP)
    assert file != storage.load_and_get_id(b"of one visitor", *ZIP[:2], "other.zip")
    assert ask(f"/media/{file}.zip") == (200, b"of one visitor")
    for path in ("/", "/run.zip", f"/{file[:-1]}", f"/{file[:-1]}0x", "/%2e%2e/", "/*"):
        assert ask(f"/media{path}")[0] == 404


def test_it_is_gone_when_no_page_shows_it_any_longer(storage, ask):
    """What a press has made goes at the second end of anybody's script or session after it."""
    files = MediaFileManager(storage)
    asked = files.add_deferred(lambda: b"made", ZIP[0], "1", ZIP[2])
    assert ask(f"/media/{asked}")[0] == 404, "made for who presses alone"
    address = files.execute_deferred(asked)
    assert ask(address) == (200, b"made")
    files.clear_session_refs()
    for _ in range(2):
        files.remove_orphaned_files()
    assert ask(address)[0] == 404
