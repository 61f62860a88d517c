"""Where runs live: the store, the processes that train, and the files a run travels in.

    frames       one binary format for snapshots in the store and messages on the WebSocket
    locks        kernel file locks: who owns a run, which devices are at work
    database     the SQLite file: opening it, its schema, its failures in plain words
    record       a run as pages read it, alike from the store and from an archive
    transitions  what a command does to a run, by its status
    quota        what a store asks before it takes something on: its one hook for limits
    rows, files  the statements and the durable files that the store is made of
    home         the folder of a store: files, locks, grids
    work         the table of runs and jobs: one queue, one state machine, one lease
    store        runs: create, history, snapshots, live frames, grids
    costs        what a training will take, before it is begun
    bounds       what the system lets a process have
    signals      Ctrl-C, signals that mean the same, the end of a parent
    devices      what this machine can train on, and how many runs at once
    checkpoints  the file that a run goes on from
    journal      what a run at work writes down: its curve, its pictures, its pace
    execute      the one loop around train(): used by the worker and by the command line
    sweep_rows   the rows of sweeps in the store, and where an interrupted unit of one finds what it
                 goes on from
    resumable    a batch in training, from its last checkpoint on: one unit of a sweep
    sweeps       units of work for any executor; only the process that asks writes rows
    jobs         other work asked of a worker: sweeps, rank-optimal kernels, rank surgery
    job_runner   what a worker does for a job; a run that waits goes before it
    worker       `python -m explorer.runs.worker`: a warm process that does what the store asks;
                 whose work is next, where several stores share the devices
    maintenance  recovery at the start of a server, left-over files, and a check of the store
    pool         the server's handles on its workers
    run_file     what an archive says of a run, and what its kept pictures must hold
    zips         members of known names and bounded sizes, each with its hash
    archive      a run as one zip, and the careful way back
    weights      the parameters of a trained model, for pages without torch

torch is imported by checkpoints, journal, execute, resumable and job_runner, and by worker and
devices only where they need it, as by sweeps: the server imports none of the first five.
"""
