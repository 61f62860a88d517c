"""`python -m explorer`, and the command `attention-explorer`."""

from explorer.cli import main
from explorer.runs.signals import treat_as_ctrl_c


def run(called: str = "attention-explorer") -> None:
    """The command line as a process of its own, under the name by which it was called."""
    treat_as_ctrl_c()
    main(called)


if __name__ == "__main__":
    run("python -m explorer")
