/**
 * Profiles, facts, and what is computed of them. `version` comes from `profiles_state.changes`, so that no profile ever has
 * a version that another one with its number had. Triggers keep the sizes of spaces and computations.
 */
export const profiles = `
  CREATE TABLE profiles_state (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    purges   INTEGER NOT NULL,
    changes  INTEGER NOT NULL
  ) STRICT;
  INSERT INTO profiles_state VALUES (1, 0, 0);

  CREATE TABLE profiles (
    id            INTEGER PRIMARY KEY,
    space         TEXT    NOT NULL,
    version       INTEGER NOT NULL,
    dirty_since   INTEGER,
    recheck_at    INTEGER,
    first_seen_at INTEGER,
    last_seen_at  INTEGER,
    counts        TEXT    NOT NULL
  ) STRICT;
  -- By name [value, at, received at, event, source]; a removed one has the value null. They are in a table of their own
  -- because they are long, and most events change none of them.
  CREATE TABLE profile_traits (profile INTEGER PRIMARY KEY, traits TEXT NOT NULL) STRICT;
  CREATE INDEX profiles_dirty ON profiles (dirty_since) WHERE dirty_since IS NOT NULL;
  CREATE INDEX profiles_recheck ON profiles (recheck_at) WHERE recheck_at IS NOT NULL;

  CREATE TABLE spaces (name TEXT PRIMARY KEY, profiles INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TRIGGER profile_begins AFTER INSERT ON profiles BEGIN
    INSERT INTO spaces VALUES (NEW.space, 1) ON CONFLICT DO UPDATE SET profiles = profiles + 1;
  END;
  CREATE TRIGGER profile_ends AFTER DELETE ON profiles BEGIN
    UPDATE spaces SET profiles = profiles - 1 WHERE name = OLD.space;
  END;

  -- is_seen: an event or a list has named it, not an alias alone as the former id.
  CREATE TABLE profile_ids (
    space   TEXT    NOT NULL,
    kind    TEXT    NOT NULL,
    id      TEXT    NOT NULL,
    profile INTEGER NOT NULL,
    is_seen INTEGER NOT NULL,
    PRIMARY KEY (space, kind, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX profile_ids_by_profile ON profile_ids (profile, kind, id);

  -- No number is used again: facts of a clause that is gone stay until they are pruned.
  CREATE TABLE fact_clauses (
    number          INTEGER PRIMARY KEY AUTOINCREMENT,
    definition      TEXT    NOT NULL UNIQUE,
    keep_ms         INTEGER,
    keep_most       INTEGER NOT NULL,
    fill_through    INTEGER NOT NULL,
    filled_through  INTEGER NOT NULL,
    reaches_back_to INTEGER
  ) STRICT;
  CREATE TABLE facts (
    profile  INTEGER NOT NULL,
    clause   INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    position INTEGER NOT NULL,
    value    TEXT,
    PRIMARY KEY (profile, clause, at, position)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE computations (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id     TEXT    NOT NULL UNIQUE,
    size   INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE results (
    profile     INTEGER NOT NULL,
    computation INTEGER NOT NULL,
    value       TEXT    NOT NULL,
    since       INTEGER NOT NULL,
    PRIMARY KEY (profile, computation)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX results_by_computation ON results (computation, profile);
  CREATE TRIGGER result_begins AFTER INSERT ON results BEGIN
    UPDATE computations SET size = size + 1 WHERE number = NEW.computation;
  END;
  CREATE TRIGGER result_ends AFTER DELETE ON results BEGIN
    UPDATE computations SET size = size - 1 WHERE number = OLD.computation;
  END;

  -- What was sent last for each user.
  CREATE TABLE announced (
    user_id     TEXT    NOT NULL,
    computation INTEGER NOT NULL,
    value       TEXT    NOT NULL,
    number      INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    PRIMARY KEY (user_id, computation)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX announced_by_computation ON announced (computation, user_id);

  -- The lists of manual audiences.
  CREATE TABLE listed_users (
    computation INTEGER NOT NULL,
    user_id     TEXT    NOT NULL,
    PRIMARY KEY (computation, user_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX listed_users_by_user ON listed_users (user_id, computation);

  CREATE TABLE computation_changes (
    computation INTEGER NOT NULL,
    start       INTEGER NOT NULL,
    entered     INTEGER NOT NULL,
    went        INTEGER NOT NULL,
    PRIMARY KEY (computation, start)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE syncs (
    id          TEXT    NOT NULL PRIMARY KEY,
    computation TEXT    NOT NULL,
    is_open     INTEGER NOT NULL,
    document    TEXT    NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX syncs_by_computation ON syncs (computation, id);
  CREATE INDEX syncs_open ON syncs (id) WHERE is_open;
`
