"""`python -m explorer`."""

from explorer.cli import main
from explorer.runs.endings import as_by_ctrl_c

as_by_ctrl_c()
main()
