BEGIN TRANSACTION;
CREATE TABLE history (
    run TEXT NOT NULL, step INTEGER NOT NULL, loss REAL NOT NULL,
    PRIMARY KEY (run, step)) WITHOUT ROWID;
INSERT INTO "history" VALUES('6f19c49924e4-1',1,0.5);
INSERT INTO "history" VALUES('6f19c49924e4-1',60,0.25);
INSERT INTO "history" VALUES('9648f5d393b2-1',1,0.5);
INSERT INTO "history" VALUES('d0e6cdd393d3-1',1,0.5);
CREATE TABLE ids (spec_id TEXT PRIMARY KEY, n INTEGER NOT NULL);
INSERT INTO "ids" VALUES('6f19c49924e4',1);
INSERT INTO "ids" VALUES('d0e6cdd393d3',1);
INSERT INTO "ids" VALUES('9648f5d393b2',1);
INSERT INTO "ids" VALUES('a04c441413b2',1);
CREATE TABLE jobs (
    job TEXT PRIMARY KEY, kind TEXT NOT NULL, subject TEXT NOT NULL, status TEXT NOT NULL,
    done INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL DEFAULT 0, command TEXT,
    queued REAL NOT NULL, began REAL, began_with INTEGER NOT NULL DEFAULT 0,
    message TEXT NOT NULL DEFAULT '', result TEXT, revived INTEGER);
INSERT INTO "jobs" VALUES('optimum-a','optimum','{"of": "a"}','finished',2,2,NULL,1.0,1.79555069914378523819e+09,0,'','[{"m_h": 1, "nmse": 0.5}]',NULL);
INSERT INTO "jobs" VALUES('sweep-b','sweep','{"of": "b"}','running',3,8,NULL,2.0,1.79555069930772471424e+09,0,'',NULL,NULL);
INSERT INTO "jobs" VALUES('surgery-c','surgery','x/y','queued',0,0,NULL,3.0,NULL,0,'',NULL,NULL);
INSERT INTO "jobs" VALUES('cut-d','cut','{}','queued',0,0,NULL,4.0,NULL,0,'',NULL,NULL);
INSERT INTO "jobs" VALUES('look-e','look','{}','stopped',0,0,NULL,5.0,NULL,0,'',NULL,NULL);
INSERT INTO "jobs" VALUES('optimum-f','optimum','{}','interrupted',0,0,NULL,0.0,1.79555069945161652569e+09,0,'',NULL,NULL);
CREATE TABLE live (run TEXT PRIMARY KEY, seq INTEGER NOT NULL, frame BLOB NOT NULL);
INSERT INTO "live" VALUES('9648f5d393b2-1',1,X'6C697665');
CREATE TABLE runs (
    run TEXT PRIMARY KEY, spec_id TEXT NOT NULL, n INTEGER NOT NULL, spec TEXT NOT NULL,
    name TEXT NOT NULL DEFAULT '', status TEXT NOT NULL,
    step INTEGER NOT NULL DEFAULT 0, steps INTEGER NOT NULL, pause_at INTEGER, command TEXT,
    created REAL NOT NULL, queued REAL, started REAL, ended REAL, seconds REAL NOT NULL DEFAULT 0,
    device TEXT NOT NULL DEFAULT '', versions TEXT NOT NULL DEFAULT '{}',
    message TEXT NOT NULL DEFAULT '', metrics TEXT, checkpoint TEXT,
    watched REAL NOT NULL DEFAULT 0, revived INTEGER);
INSERT INTO "runs" VALUES('6f19c49924e4-1','6f19c49924e4',1,'{ "version": 1, "target": "coupling", "tau": 4, "spectrum": "power", "alpha": 1.0, "decay": 0.5, "c": 1.0, "rank": 2, "sigma": null, "left_basis": "sine", "right_basis": "shifted_sine", "formula": null, "grid": null, "m_h": 2, "n": 8, "d_v": 8, "m_ff": 16, "depth": 3, "activation": "sine", "activation_out": "tanh", "init": "siren", "optimizer": "soap", "lr": 0.01, "warmup": 10, "schedule": "cosine", "batch": 8, "steps": 60, "seed": 0, "permutation": null, "permutation_seed": 0, "filter": null, "filter_length": 5, "filter_seed": 0, "filter_mode": "causal", "tokens": "centred", "answers": "standardised", "head_start": 0, "positions": 0 }','run 0','finished',60,60,NULL,NULL,1.79555069886751246456e+09,1.0,1.79555069897069048885e+09,1.79555069898788523677e+09,2.5,'cpu','{}','','{"nmse": 0.25}',NULL,0.0,NULL);
INSERT INTO "runs" VALUES('d0e6cdd393d3-1','d0e6cdd393d3',1,'{ "version": 1, "target": "coupling", "tau": 4, "spectrum": "power", "alpha": 1.0, "decay": 0.5, "c": 1.0, "rank": 2, "sigma": null, "left_basis": "sine", "right_basis": "shifted_sine", "formula": null, "grid": null, "m_h": 2, "n": 8, "d_v": 8, "m_ff": 16, "depth": 3, "activation": "sine", "activation_out": "tanh", "init": "siren", "optimizer": "soap", "lr": 0.01, "warmup": 10, "schedule": "cosine", "batch": 8, "steps": 60, "seed": 1, "permutation": null, "permutation_seed": 0, "filter": null, "filter_length": 5, "filter_seed": 0, "filter_mode": "causal", "tokens": "centred", "answers": "standardised", "head_start": 0, "positions": 0 }','run 1','paused',20,60,NULL,NULL,1795550698.90376,2.0,1.79555069900695610045e+09,NULL,0.0,'cpu','{}','',NULL,'checkpoint-20.safetensors',0.0,NULL);
INSERT INTO "runs" VALUES('9648f5d393b2-1','9648f5d393b2',1,'{ "version": 1, "target": "coupling", "tau": 4, "spectrum": "power", "alpha": 1.0, "decay": 0.5, "c": 1.0, "rank": 2, "sigma": null, "left_basis": "sine", "right_basis": "shifted_sine", "formula": null, "grid": null, "m_h": 2, "n": 8, "d_v": 8, "m_ff": 16, "depth": 3, "activation": "sine", "activation_out": "tanh", "init": "siren", "optimizer": "soap", "lr": 0.01, "warmup": 10, "schedule": "cosine", "batch": 8, "steps": 60, "seed": 2, "permutation": null, "permutation_seed": 0, "filter": null, "filter_length": 5, "filter_seed": 0, "filter_mode": "causal", "tokens": "centred", "answers": "standardised", "head_start": 0, "positions": 0 }','run 2','running',10,60,NULL,NULL,1.79555069893283247945e+09,3.0,1.79555069905116701121e+09,NULL,0.0,'cpu','{}','',NULL,NULL,0.0,NULL);
INSERT INTO "runs" VALUES('a04c441413b2-1','a04c441413b2',1,'{ "version": 1, "target": "coupling", "tau": 4, "spectrum": "power", "alpha": 1.0, "decay": 0.5, "c": 1.0, "rank": 2, "sigma": null, "left_basis": "sine", "right_basis": "shifted_sine", "formula": null, "grid": null, "m_h": 2, "n": 8, "d_v": 8, "m_ff": 16, "depth": 3, "activation": "sine", "activation_out": "tanh", "init": "siren", "optimizer": "soap", "lr": 0.01, "warmup": 10, "schedule": "cosine", "batch": 8, "steps": 60, "seed": 3, "permutation": null, "permutation_seed": 0, "filter": null, "filter_length": 5, "filter_seed": 0, "filter_mode": "causal", "tokens": "centred", "answers": "standardised", "head_start": 0, "positions": 0 }','run 3','queued',0,60,NULL,NULL,1.79555069896214127543e+09,4.0,NULL,NULL,0.0,'','{}','',NULL,NULL,0.0,NULL);
CREATE TABLE snapshots (
    run TEXT NOT NULL, step INTEGER NOT NULL, nmse REAL, mse REAL, mae REAL, frame BLOB NOT NULL,
    PRIMARY KEY (run, step));
INSERT INTO "snapshots" VALUES('6f19c49924e4-1',60,0.25,0.02,0.1,X'70696374757265');
CREATE TABLE sweep_rows (
    sweep TEXT NOT NULL, spec_id TEXT NOT NULL, row TEXT NOT NULL, created REAL NOT NULL,
    PRIMARY KEY (sweep, spec_id)) WITHOUT ROWID;
CREATE TABLE sweeps (sweep TEXT PRIMARY KEY, spec TEXT NOT NULL, created REAL NOT NULL);
CREATE INDEX runs_by_status ON runs (status, queued);
CREATE INDEX runs_by_age ON runs (created);
CREATE INDEX runs_by_turn ON runs (queued);
PRAGMA user_version = 4;
COMMIT;
