"""What is measured is measured alike."""

import torch

from explorer import bench


def test_what_is_measured_beside_torch_is_beside_one_thread_of_it(monkeypatch):
    threads = torch.get_num_threads()
    monkeypatch.setitem(bench.BENCHES, "tab", lambda: [("", str(torch.get_num_threads()), "", "")])
    torch.set_num_threads(2)
    try:
        assert [row["value"] for row in bench.run(["tab"])] == ["1"]
    finally:
        torch.set_num_threads(threads)
