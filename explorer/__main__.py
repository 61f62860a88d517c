"""`python -m explorer`."""

from explorer.cli import main
from explorer.runs.signals import treat_as_ctrl_c

treat_as_ctrl_c()
main()
