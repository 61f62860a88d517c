"""`python -m explorer.hosting.worker LIMITS`: a worker for the spaces of visitors, in turn."""

import sys

from explorer.hosting.limits import Limits
from explorer.hosting.turns import Turns
from explorer.runs.store import Store
from explorer.runs.worker import main

if __name__ == "__main__":
    main(Turns(Store(), Limits.model_validate_json(sys.argv[1])))
