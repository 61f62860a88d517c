"""Where runs live: the store, the processes that train, and the files a run travels in.

    frames       one binary format for snapshots in the store and messages on the WebSocket
    locks        kernel file locks: who owns a run, which devices are at work
    database     the SQLite file: opening it, its schema, its failures in plain words
    record       a run as pages read it, from the store or from an archive
    store        create, claim, request, history, snapshots, live frames, grids
    checkpoints  the file that a run goes on from
    execute      the one loop around train(): used by the worker and by the command line
    worker       `python -m explorer.runs.worker`: a warm process that takes runs from the store
    pool         the server's handles on its workers
    archive      a run as one zip, and the careful way back

torch is imported by `checkpoints`, `execute` and `worker` only, and only where it is used.
"""
