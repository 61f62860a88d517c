"""A package, so that what its tests share ends with the last of them: asyncio cannot run beside a
browser that is driven in the same process."""
