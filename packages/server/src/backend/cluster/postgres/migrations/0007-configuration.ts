/** Configuration and access, with what tells nodes of changes; counts over time. */
export const configuration = `
  -- The number of the last change of each kind. Its row is locked from there to the commit, so numbers are in the order of commits.
  CREATE TABLE changes (kind txt PRIMARY KEY, number bigint NOT NULL);

  -- Ids of the keys that secrets are sealed with, numbered in the order in which they came.
  CREATE TABLE encryption_keys (id txt PRIMARY KEY, number bigint GENERATED ALWAYS AS IDENTITY);

  -- number: of the change that put the record. source_id, and settings, which are sealed: of a destination.
  CREATE TABLE catalog (
    kind      txt    NOT NULL,
    id        txt    NOT NULL,
    version   bigint NOT NULL,
    number    bigint NOT NULL,
    source_id txt,
    document  text   NOT NULL,
    settings  text,
    PRIMARY KEY (kind, id)
  );

  CREATE TABLE key_uses (
    key          txt    PRIMARY KEY,
    last_used_at bigint NOT NULL,
    number       bigint NOT NULL
  );
  CREATE INDEX key_uses_by_number ON key_uses (number);

  CREATE TABLE tokens (
    id           txt  PRIMARY KEY,
    document     text NOT NULL,
    last_used_at bigint,
    use_number   bigint
  );
  CREATE INDEX tokens_by_use ON tokens (use_number);

  -- A target may be the id of a user, which may be longer than an index takes.
  CREATE TABLE audit (
    seq       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id        txt    NOT NULL,
    at        bigint NOT NULL,
    actor_id  txt    NOT NULL,
    action    txt    NOT NULL,
    target_id txt,
    sealed    text   NOT NULL
  );
  CREATE INDEX audit_by_time ON audit (at);
  CREATE INDEX audit_by_actor ON audit (actor_id, seq);
  CREATE INDEX audit_by_action ON audit (action, seq);
  CREATE INDEX audit_by_target ON audit (left(target_id, 100), seq);

  CREATE TABLE idempotent_responses (
    key         txt    PRIMARY KEY,
    fingerprint txt    NOT NULL,
    sealed      text   NOT NULL,
    expires_at  bigint NOT NULL
  );
  CREATE INDEX idempotent_responses_expiring ON idempotent_responses (expires_at);

  -- Keys of requests that are being served.
  CREATE TABLE reserved_keys (key txt PRIMARY KEY, node txt NOT NULL, until bigint NOT NULL);

  -- Rows of now change every few seconds: with room in the page, that writes no index.
  CREATE TABLE statistics (
    span           txt    NOT NULL,
    start          bigint NOT NULL,
    source_id      txt    NOT NULL,
    destination_id txt    NOT NULL,
    counts         jsonb  NOT NULL,
    PRIMARY KEY (span, start, source_id, destination_id)
  ) WITH (fillfactor = 70);
  CREATE INDEX statistics_of_source ON statistics (span, source_id, start, destination_id);
  CREATE INDEX statistics_of_destination ON statistics (span, destination_id, start, source_id)
    WHERE destination_id <> '';
  CREATE FUNCTION sum_of_counts(a jsonb, b jsonb) RETURNS jsonb IMMUTABLE LANGUAGE sql AS $$
    SELECT jsonb_object_agg(name, sum) FROM (
      SELECT key AS name, sum(value::bigint) AS sum
      FROM (SELECT * FROM jsonb_each_text(a) UNION ALL SELECT * FROM jsonb_each_text(b)) AS counts
      GROUP BY key) AS sums
  $$;
`
