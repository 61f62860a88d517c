"""What every test needs."""

import pytest

from explorer.ui import registry


@pytest.fixture(autouse=True)
def own_home(monkeypatch, tmp_path):
    """A store of the test's own, never the reader's, and a registry that has not seen another."""
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(registry, "HOLDER", f"_explorer_state_{tmp_path.name}")
