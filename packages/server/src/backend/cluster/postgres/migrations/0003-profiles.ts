/**
 * Profiles, facts, and what is computed of them. Texts of JSON are `text`, not jsonb: that refuses U+0000 and lone
 * surrogates, which traits may have.
 *
 * `version` comes from the sequence `profile_versions`, so that no profile ever has a version that another one with its
 * number had. Triggers keep the sizes of spaces and computations: one change of the row for each statement, however many
 * rows the statement has.
 *
 * An id of a user may be as long as a call, and a row of a B-tree has at most 2,700 bytes. So ids are found by hash indexes,
 * listed by how they begin, and no index makes them unique: whoever adds one looks for it under a lock, that of
 * `lockProfiles` for `profile_ids`, that of the computation for `announced` and `listed_users`.
 */
export const profiles = `
  -- Who follows the archive, and the seq of the last event that it has reached. Retention keeps what comes after.
  CREATE TABLE cursors (name txt PRIMARY KEY, through bigint NOT NULL);

  -- Its row is locked by a transaction that applies a slice, and by one that removes profiles: they take turns.
  CREATE TABLE profiles_state (
    only_row boolean PRIMARY KEY CHECK (only_row),
    purges   bigint  NOT NULL
  );
  INSERT INTO profiles_state VALUES (true, 0);
  CREATE SEQUENCE profile_versions;
  CREATE SEQUENCE profile_numbers;

  -- Most events change the counts of a profile and no indexed column: with room in the page, that writes no index.
  CREATE TABLE profiles (
    id            bigint PRIMARY KEY,
    space         txt    NOT NULL,
    version       bigint NOT NULL,
    dirty_since   bigint,
    recheck_at    bigint,
    first_seen_at bigint,
    last_seen_at  bigint,
    counts        text   NOT NULL
  ) WITH (fillfactor = 80);
  -- By name [value, at, received at, event, source]; a removed one has the value null. They are in a table of their own
  -- because they are long, and most events change none of them.
  CREATE TABLE profile_traits (profile bigint PRIMARY KEY, traits text NOT NULL);
  CREATE INDEX profiles_dirty ON profiles (dirty_since, id) WHERE dirty_since IS NOT NULL;
  CREATE INDEX profiles_recheck ON profiles (recheck_at, id) WHERE recheck_at IS NOT NULL;

  CREATE TABLE spaces (name txt PRIMARY KEY, profiles bigint NOT NULL);
  CREATE FUNCTION count_profiles() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO spaces
      SELECT space, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END FROM changed
      GROUP BY space ORDER BY space
      ON CONFLICT (name) DO UPDATE SET profiles = spaces.profiles + excluded.profiles;
    RETURN NULL;
  END $$;
  CREATE TRIGGER profiles_begin AFTER INSERT ON profiles REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_profiles();
  CREATE TRIGGER profiles_end AFTER DELETE ON profiles REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_profiles();

  -- is_seen: an event or a list has named it, not an alias alone as the former id.
  CREATE TABLE profile_ids (
    space   txt     NOT NULL,
    kind    txt     NOT NULL,
    id      txt     NOT NULL,
    profile bigint  NOT NULL,
    is_seen boolean NOT NULL
  );
  CREATE INDEX profile_ids_by_id ON profile_ids USING hash (id);
  CREATE INDEX profile_ids_by_profile ON profile_ids (profile, kind, left(id, 500));

  -- No number is used again: facts of a clause that is gone stay until they are pruned. A definition may be longer than
  -- an index by order takes.
  CREATE TABLE fact_clauses (
    number          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    definition      text   NOT NULL,
    keep_ms         bigint,
    keep_most       bigint NOT NULL,
    fill_through    bigint NOT NULL,
    filled_through  bigint NOT NULL,
    reaches_back_to bigint,
    EXCLUDE USING hash (definition WITH =)
  );
  CREATE TABLE facts (
    profile  bigint NOT NULL,
    clause   bigint NOT NULL,
    at       bigint NOT NULL,
    position bigint NOT NULL,
    value    text,
    PRIMARY KEY (profile, clause, at, position)
  );

  CREATE TABLE computations (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id     txt    NOT NULL UNIQUE,
    size   bigint NOT NULL DEFAULT 0
  );
  CREATE TABLE results (
    profile     bigint NOT NULL,
    computation bigint NOT NULL,
    value       text   NOT NULL,
    since       bigint NOT NULL,
    PRIMARY KEY (profile, computation)
  );
  CREATE INDEX results_by_computation ON results (computation, profile);
  CREATE FUNCTION count_results() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE computations SET size = size + changes.n FROM (
      SELECT computation, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END AS n
      FROM changed GROUP BY computation) AS changes
    WHERE number = changes.computation;
    RETURN NULL;
  END $$;
  CREATE TRIGGER results_begin AFTER INSERT ON results REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_results();
  CREATE TRIGGER results_end AFTER DELETE ON results REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_results();

  -- What was sent last for each user.
  CREATE TABLE announced (
    user_id     txt    NOT NULL,
    computation bigint NOT NULL,
    value       text   NOT NULL,
    number      bigint NOT NULL,
    at          bigint NOT NULL
  );
  CREATE INDEX announced_to ON announced USING hash (user_id);
  CREATE INDEX announced_by_computation ON announced (computation, left(user_id, 500));

  -- The lists of manual audiences.
  CREATE TABLE listed_users (
    computation bigint NOT NULL,
    user_id     txt    NOT NULL
  );
  CREATE INDEX listed_users_by_user ON listed_users USING hash (user_id);
  CREATE INDEX listed_users_by_computation ON listed_users (computation, left(user_id, 500));

  CREATE TABLE computation_changes (
    computation bigint NOT NULL,
    start       bigint NOT NULL,
    entered     bigint NOT NULL,
    went        bigint NOT NULL,
    PRIMARY KEY (computation, start)
  );

  CREATE TABLE syncs (
    id          txt     PRIMARY KEY,
    computation txt     NOT NULL,
    is_open     boolean NOT NULL,
    document    text    NOT NULL
  );
  CREATE INDEX syncs_by_computation ON syncs (computation, id);
  CREATE INDEX syncs_open ON syncs (id) WHERE is_open;
`
