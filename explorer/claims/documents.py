"""Claims of documents."""

from __future__ import annotations

from explorer.claims.claim import Claim

CLAIMS: tuple[Claim, ...] = ()
