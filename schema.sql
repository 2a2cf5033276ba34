-- The whole current schema of a Pawl log (.pawl/events.db), version 6.
--
-- The table events is the truth. blobs, contents, packs, packed and pruned belong to it; leases say who holds a
-- run right now. Every other table is derived from events by the apply functions in state/ and may be dropped:
-- it is made again and filled when the log is next opened for writing.
--
-- Times named time or ..._us are microseconds since 1970-01-01 UTC, for people alone; seq is the only
-- order. Hashes are 32 bytes as a blob, or 64 lower-case hex digits as text. A text that does not
-- apply is NULL; numbers never are.
--
-- A change here is a new number below, a step in events/sqlite/migrate.c that leads an old file to it, and
-- an old file in the tests.

PRAGMA application_id = 0x5061776c; -- "Pawl"
PRAGMA user_version = 6;

-- ---- The log ------------------------------------------------------------------------------------

-- seq counts 1, 2, 3, ... without a gap. payload is canonical JSON (RFC 8785), or NULL once it was
-- pruned. hash = SHA-256(prev, SHA-256(payload), canonical JSON of the other columns but prev and
-- hash); prev is the hash of the event before, 32 zero bytes for the first.
-- No index of all events: one costs half of the throughput of a batch, and a replay reads in seq order.
CREATE TABLE IF NOT EXISTS events (
        seq        INTEGER PRIMARY KEY,
        type       TEXT NOT NULL,
        v          INTEGER NOT NULL,
        time       INTEGER NOT NULL,
        mission_id TEXT,
        run_id     TEXT,
        step_id    TEXT,
        session_id TEXT,
        actor      TEXT,
        payload    TEXT,
        prev       BLOB NOT NULL,
        hash       BLOB NOT NULL
) STRICT;

-- Events are never changed. The third trigger is there because INSERT OR REPLACE deletes without
-- firing a DELETE trigger; it also keeps other programs from leaving a gap.
CREATE TRIGGER IF NOT EXISTS events_refuse_update BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER IF NOT EXISTS events_refuse_delete BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TRIGGER IF NOT EXISTS events_refuse_gap BEFORE INSERT ON events
WHEN NEW.seq IS NOT (SELECT ifnull(max(seq), 0) + 1 FROM events)
BEGIN SELECT RAISE(ABORT, 'events are appended in the order of seq, without a gap'); END;

-- Where each run begins, RunStarted or RunSubmitted: a reader that does not believe the tables below looks here.
-- One comparison tells most events from these.
CREATE INDEX IF NOT EXISTS events_begin ON events (run_id) WHERE type < 'RunT' AND type > 'RunR';

-- SHA-256 of each payload that was pruned, so that the chain still verifies.
CREATE TABLE IF NOT EXISTS pruned (
        seq          INTEGER PRIMARY KEY,
        payload_hash BLOB NOT NULL
) STRICT;

-- A keyed log: key_check = HMAC-SHA-256(key, 'pawl chain key 1'), one row that is put in when the log
-- is made, or never. Each event of such a log has its mac = HMAC-SHA-256(key, hash).
CREATE TABLE IF NOT EXISTS chain_key (
        id        INTEGER PRIMARY KEY CHECK (id = 1),
        key_check BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS macs (
        seq INTEGER PRIMARY KEY,
        mac BLOB NOT NULL
) STRICT;

-- Contents by their SHA-256: canonical inputs, outputs. A rowid table with an index on the hash, as
-- contents are large: without rowid they would lie in the inner pages of the tree by hash.
CREATE TABLE IF NOT EXISTS blobs (
        hash    BLOB NOT NULL PRIMARY KEY,
        content BLOB NOT NULL
) STRICT;

-- What workspace checkpoints hold: the content of each file and directory once, by the SHA-256 of the whole
-- of it, in parts that count from 0. size: of the whole, in bytes, not compressed; data: one zstd frame a
-- part. A rowid table for the same reason.
CREATE TABLE IF NOT EXISTS contents (
        hash BLOB NOT NULL,
        part INTEGER NOT NULL,
        size INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (hash, part)
) STRICT;

-- The same of contents that are small, or little different from another one: many to a row, as
-- workspace/store/pack.h has it. heads: what each of them is and, of a difference, from which content; data: the
-- zstd frames, one behind the other.
CREATE TABLE IF NOT EXISTS packs (
        pack  INTEGER PRIMARY KEY,
        heads BLOB NOT NULL,
        data  BLOB NOT NULL
) STRICT;

-- Where each of them is: in which pack, and behind how many others. Most rows of a log with many checkpoints are
-- these: without rowid, a hash is stored once.
CREATE TABLE IF NOT EXISTS packed (
        hash BLOB NOT NULL PRIMARY KEY,
        pack INTEGER NOT NULL,
        at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who holds a run. The fence grows with each claim and outlives the claim (held = 0). until_ms is by
-- the holder's CLOCK_BOOTTIME, and is compared with nothing but itself: each renewal changes it. The
-- holder's process is named by its pid, the time it started (clock ticks since boot) and its pid namespace
-- (inode number). Whether it lives is asked of the kernel first, by a lock on PATH-lock.
CREATE TABLE IF NOT EXISTS leases (
        run_id    TEXT NOT NULL PRIMARY KEY,
        fence     INTEGER NOT NULL,
        held      INTEGER NOT NULL,
        host      TEXT NOT NULL,
        boot_id   TEXT NOT NULL,
        pid       INTEGER NOT NULL,
        pid_start INTEGER NOT NULL,
        pid_ns    INTEGER NOT NULL,
        until_ms  INTEGER NOT NULL,
        lease_ms  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- ---- What is, derived from the events (the columns are those of state/tables.h) --------------------

-- The last event that the tables below have seen: one row.
CREATE TABLE IF NOT EXISTS projection (
        id          INTEGER PRIMARY KEY CHECK (id = 1),
        applied_seq INTEGER NOT NULL
) STRICT;
INSERT OR IGNORE INTO projection (id, applied_seq) VALUES (1, 0);

-- status: queued, running, blocked, interrupted, completed, failed, cancelled. scope_refs: canonical JSON
-- [{scope, version_id}], the glossary versions that RunStarted pinned. mission_hash: of the mission's
-- document, which is in blobs; of a run begun without one, of its file. steps: how many there are; done:
-- how many of them are completed. current_step: the one that started last and is not completed. untold: 0,
-- nobody is told how it ends; -1, somebody was told of all; else seq of the event that is still to be told.
-- rules: 1, its events are judged by the rules of docs/reference/event-log.md; 2, it was claimed since it ended
-- last; 4, it takes over completed steps of another run; 8, it was imported; 16, an event said what its steps need;
-- 32 times the seq of its first event that broke a rule. first_seq and last_seq: its events are between these,
-- whatever their types. in_mission: how many steps its mission has now.
CREATE TABLE IF NOT EXISTS runs (
        run_id       TEXT NOT NULL PRIMARY KEY,
        mission_id   TEXT,
        status       TEXT,
        started_seq  INTEGER NOT NULL,
        updated_seq  INTEGER NOT NULL,
        updated_us   INTEGER NOT NULL,
        mission_hash TEXT,
        mission_path TEXT,
        strictness   TEXT,
        reason       TEXT,
        fence        INTEGER NOT NULL,
        session_id   TEXT,
        scope_refs   TEXT,
        steps        INTEGER NOT NULL,
        done         INTEGER NOT NULL,
        current_step TEXT,
        untold       INTEGER NOT NULL,
        rules        INTEGER NOT NULL,
        first_seq    INTEGER NOT NULL,
        last_seq     INTEGER NOT NULL,
        in_mission   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Unfinished runs, newest first: status <> 'completed' ORDER BY started_seq DESC. No column that each event
-- changes is in an index: an update that changes none writes no index.
CREATE INDEX IF NOT EXISTS runs_unfinished ON runs (started_seq) WHERE status <> 'completed';
-- Those whose end is still to be told: untold > 0.
CREATE INDEX IF NOT EXISTS runs_untold ON runs (mission_id) WHERE untold > 0;

-- status: pending, running, blocked, completed, failed, skipped. order_seq is that of RunStarted, number the
-- step's place in the mission. checkpoint_seq: its last StepCheckpointed, or the WorkspaceRolledBack that
-- gave it up since. exit_code is -1 until the command ended, 128 + signal when killed. gate: "!" or "-" (whether
-- conflicts are named); a digit, 1 while the gate has let it pass, and 2 more where it started with the strictness
-- medium, 4 with max; what its mission says of it, or nothing, and a space: a digit of its strictness (0 off, 1 medium,
-- 2 max), "w" if it has a `when`, else "-", and each step that it needs behind a "/" (a newline in place of a space); the
-- conflict whose answer is its output, or nothing, and a space; the hash of an output that was blocked, or nothing, and
-- a space; the conflicts that block it, with spaces between. NULL: "-0   ".
CREATE TABLE IF NOT EXISTS steps (
        run_id         TEXT NOT NULL,
        step_id        TEXT NOT NULL,
        order_seq      INTEGER NOT NULL,
        number         INTEGER NOT NULL,
        status         TEXT,
        input_hash     TEXT,
        output_hash    TEXT,
        retry_token    TEXT,
        cursor         TEXT,
        checkpoint_seq INTEGER NOT NULL,
        evaluated_seq  INTEGER NOT NULL,
        exit_code      INTEGER NOT NULL,
        gate           TEXT,
        PRIMARY KEY (run_id, step_id)
) STRICT, WITHOUT ROWID;

-- From a retry token to its StepCheckpointed event and the SemanticCheckEvaluated it rests on. What
-- else a checkpoint says stands in the event.
CREATE TABLE IF NOT EXISTS checkpoints (
        retry_token   TEXT NOT NULL PRIMARY KEY,
        seq           INTEGER NOT NULL,
        evaluated_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- status: open, resolved. seq is that of the first request. candidates: canonical JSON [sense].
-- A rowid table, as its rows are large: in the inner pages of a tree by id ten of them fit, and
-- listing 20 open ones of a million events takes 31 us instead of 26.
CREATE TABLE IF NOT EXISTS conflicts (
        conflict_id   TEXT NOT NULL PRIMARY KEY,
        seq           INTEGER NOT NULL,
        run_id        TEXT,
        step_id       TEXT,
        mission_id    TEXT,
        retry_token   TEXT,
        term          TEXT,
        conflict_type TEXT,
        severity      TEXT,
        confidence    REAL NOT NULL,
        context       TEXT,
        candidates    TEXT,
        status        TEXT,
        requested_us  INTEGER NOT NULL,
        resolved_seq  INTEGER NOT NULL,
        due_us        INTEGER NOT NULL,
        otherwise     TEXT,
        answer_hash   TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS conflicts_open ON conflicts (seq) WHERE status = 'open';
CREATE INDEX IF NOT EXISTS conflicts_step ON conflicts (run_id, step_id, seq);

-- A sense is one by mission (mission_local ones; else ''), scope, seed version (else ''), normal form
-- of the surface, and identity: the definition, or '' for an answer (mission_local, of no seed), which
-- is one a surface.
-- status: draft, active, deprecated, ignored. Of a version that rests on another, only what is new or other there;
-- and marks: base (its definition is the version that it rests on) and removed (a sense that it has not).
CREATE TABLE IF NOT EXISTS senses (
        mission_id TEXT NOT NULL,
        scope      TEXT NOT NULL,
        version_id TEXT NOT NULL,
        normal     TEXT NOT NULL,
        identity   TEXT NOT NULL,
        seq        INTEGER NOT NULL,
        surface    TEXT,
        definition TEXT,
        confidence REAL NOT NULL,
        status     TEXT,
        source     TEXT,
        actor      TEXT,
        PRIMARY KEY (mission_id, scope, version_id, normal, identity)
) STRICT, WITHOUT ROWID;

-- Each version of a scope's seed that was ever activated; the one in force has the highest used_seq.
CREATE TABLE IF NOT EXISTS scopes (
        scope_id   TEXT NOT NULL,
        version_id TEXT NOT NULL,
        seq        INTEGER NOT NULL,
        used_seq   INTEGER NOT NULL,
        PRIMARY KEY (scope_id, version_id)
) STRICT, WITHOUT ROWID;

-- status: active, completed, interrupted, error. Without a run_id it is an agent's, which says itself
-- what it does: completed, pending and files are canonical JSON arrays of texts. done of total steps,
-- and current_step, of a run's session are those of its run when it ended; while it is active the run's
-- row says them. checkpoint_seq and notes_seq: the last SessionCheckpointed and SessionNoted, or 0.
CREATE TABLE IF NOT EXISTS sessions (
        session_id     TEXT NOT NULL PRIMARY KEY,
        seq            INTEGER NOT NULL,
        mission_id     TEXT,
        run_id         TEXT,
        actor          TEXT,
        status         TEXT,
        started_us     INTEGER NOT NULL,
        updated_us     INTEGER NOT NULL,
        ended_us       INTEGER NOT NULL,
        reason         TEXT,
        current_step   TEXT,
        completed      TEXT,
        pending        TEXT,
        files          TEXT,
        done           INTEGER NOT NULL,
        total          INTEGER NOT NULL,
        summary        TEXT,
        checkpoints    INTEGER NOT NULL,
        checkpoint_seq INTEGER NOT NULL,
        notes_seq      INTEGER NOT NULL,
        pinned         INTEGER NOT NULL,
        turns          TEXT,
        worktree       TEXT,
        worktree_root  TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS sessions_seq ON sessions (seq);
CREATE INDEX IF NOT EXISTS sessions_mission ON sessions (mission_id, seq);
CREATE INDEX IF NOT EXISTS sessions_noted ON sessions (mission_id, seq) WHERE notes_seq > 0;
CREATE INDEX IF NOT EXISTS sessions_active ON sessions (seq) WHERE status = 'active';

-- Checkpoints of the workspace; n counts 1, 2, 3, ... without a gap. trigger: auto, manual. root: the
-- directory, relative to the one that holds .pawl. tree: the hash of its encoding, in contents. base: the n
-- that the workspace was at before, or 0. safety 1: taken before the rollback rollback_seq. invalid_seq:
-- the event that made it invalid, or 0; pruned_seq: the one that let its contents go, or 0. worktree: the id of a
-- linked work tree of git, or "" for the workspace that the log lies in.
CREATE TABLE IF NOT EXISTS workspace_checkpoints (
        n              INTEGER NOT NULL PRIMARY KEY,
        seq            INTEGER NOT NULL,
        id             TEXT,
        mission_id     TEXT,
        run_id         TEXT,
        step_id        TEXT,
        session_id     TEXT,
        trigger        TEXT,
        description    TEXT,
        root           TEXT,
        tree           TEXT,
        files          INTEGER NOT NULL,
        bytes          INTEGER NOT NULL,
        skipped        INTEGER NOT NULL,
        state_hash     TEXT,
        outputs_hash   TEXT,
        git_head       TEXT,
        git_branch     TEXT,
        base           INTEGER NOT NULL,
        safety         INTEGER NOT NULL,
        created_us     INTEGER NOT NULL,
        invalid_seq    INTEGER NOT NULL,
        invalid_reason TEXT,
        pinned         INTEGER NOT NULL,
        pruned_seq     INTEGER NOT NULL,
        rollback_seq   INTEGER NOT NULL,
        worktree       TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS workspace_ids ON workspace_checkpoints (id);

-- Rollbacks of the workspace, by the seq of WorkspaceRollbackStarted. status: started, done, abandoned,
-- undone. target and safety are checkpoints; undo: 1: it undoes another, 2: it is of some paths alone, 3:
-- both; ended_seq is that of WorkspaceRolledBack, or 0. steps_before:
-- JSON, the run and the steps that were given up, as they were; what undoing it puts back.
CREATE TABLE IF NOT EXISTS rollbacks (
        seq          INTEGER NOT NULL PRIMARY KEY,
        target       INTEGER NOT NULL,
        safety       INTEGER NOT NULL,
        undo         INTEGER NOT NULL,
        tree         TEXT,
        plan_hash    TEXT,
        status       TEXT,
        ended_seq    INTEGER NOT NULL,
        git_from     TEXT,
        git_to       TEXT,
        reason       TEXT,
        actor        TEXT,
        steps_before TEXT,
        worktree     TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS rollbacks_started ON rollbacks (seq) WHERE status = 'started';
