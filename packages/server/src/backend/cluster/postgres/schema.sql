-- The archive. `txt` is text in the order of its bytes. Ids sort by time, so one partition has the events of a day; what
-- belongs to an event is partitioned in the same way.
--
-- `seq` is the order of archiving, and `log_position` that of the log: a purge goes by the log, a follower by the archive.
-- `checksum` is that of the accepted event (event-rows.ts): a row that was changed since is not sent.
--
-- An id that a client sends may be as long as a call, and a row of a B-tree has at most 2,700 bytes. So indexes have only how
-- it begins (`isId` of event-rows.ts makes a condition that they serve), or are hash indexes. None of them makes such ids
-- unique: whoever adds one looks for it under a lock, that of `lockProfiles` for `identities`, that of the computation for
-- `announced` and `listed_users`.

CREATE DOMAIN txt AS text COLLATE "C";

CREATE TABLE events (
  id                txt    NOT NULL PRIMARY KEY,
  seq               bigint NOT NULL,
  log_position      bigint NOT NULL,
  source_id         txt    NOT NULL,
  message_id        txt    NOT NULL,
  type              txt    NOT NULL,
  user_id           txt,
  anonymous_id      txt,
  previous_id       txt,
  received_at       bigint NOT NULL,
  marks             text   NOT NULL,
  origin            text,
  body              bytea  NOT NULL,
  rest              text   NOT NULL,
  checksum          bigint NOT NULL,
  duplicates        int    NOT NULL DEFAULT 0,
  last_duplicate_at bigint
) PARTITION BY RANGE (id);
CREATE TABLE events_default PARTITION OF events DEFAULT;
CREATE INDEX events_by_seq ON events (seq);
CREATE INDEX events_by_time ON events (received_at, seq);
CREATE INDEX events_by_message ON events (left(message_id, 500), received_at, seq);
CREATE INDEX events_by_user ON events (left(user_id, 500), received_at, seq) WHERE user_id IS NOT NULL;
CREATE INDEX events_by_anonymous ON events (left(anonymous_id, 500), received_at, seq) WHERE anonymous_id IS NOT NULL;
CREATE INDEX events_by_previous ON events (left(previous_id, 500), received_at, seq) WHERE previous_id IS NOT NULL;

-- The last seq that was given. One row: the lock of the archive is held while it changes.
CREATE TABLE archive (only_row boolean PRIMARY KEY CHECK (only_row), seq bigint NOT NULL);
INSERT INTO archive VALUES (true, 0);

-- Duplicates that their first event has counted, so that each counts once. The archive forgets the oldest of them itself.
CREATE TABLE counted_duplicates (id txt PRIMARY KEY);

CREATE TABLE declined (
  event_id       txt NOT NULL,
  destination_id txt NOT NULL,
  reason         txt NOT NULL,
  since          bigint,
  PRIMARY KEY (event_id, destination_id)
) PARTITION BY RANGE (event_id);
CREATE TABLE declined_default PARTITION OF declined DEFAULT;

-- Whom a purge covers: events of these ids up to the position of the log. An empty source stands for every source. Each
-- purge of an id adds a row, in the order of number: a node reads on from the last one that it knows.
CREATE TABLE purged_ids (
  number      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind        txt    NOT NULL,
  id          txt    NOT NULL,
  source_id   txt    NOT NULL,
  through     bigint NOT NULL,
  deletion_id txt    NOT NULL,
  added_at    bigint NOT NULL
);
CREATE INDEX purged_ids_by_id ON purged_ids USING hash (id);
CREATE INDEX purged_ids_by_time ON purged_ids (added_at);

-- Events that a transaction of the database has appended: each row is a chunk for the log, in the order of its number.
CREATE TABLE outbox (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  chunk  bytea  NOT NULL
);

-- Deliveries and their failed attempts; the parts that wait, lane by lane, and who has claimed them. `webhooks` and `document`
-- name lanes in place of URLs, which may contain credentials: those are sealed in `lanes`, where `key` is a keyed hash of them.

CREATE TABLE deliveries (
  id             txt     NOT NULL PRIMARY KEY,
  event_id       txt     NOT NULL,
  destination_id txt     NOT NULL,
  state          txt     NOT NULL,
  rounds         int     NOT NULL,
  first_due_at   bigint  NOT NULL,
  due_at         bigint,
  webhooks       text    NOT NULL,
  replay_id      txt,
  is_waiting     boolean NOT NULL
) PARTITION BY RANGE (id);
CREATE TABLE deliveries_default PARTITION OF deliveries DEFAULT;
CREATE INDEX deliveries_of_event ON deliveries (event_id);
CREATE INDEX deliveries_of_destination ON deliveries (destination_id, id);
CREATE INDEX deliveries_failing ON deliveries (destination_id, id)
  WHERE state <> 'delivered' AND (rounds > 0 OR state IN ('expired', 'quarantined'));
CREATE INDEX deliveries_of_replay ON deliveries (replay_id) WHERE replay_id IS NOT NULL;
CREATE INDEX deliveries_oldest ON deliveries (first_due_at) WHERE state = 'pending';

CREATE TABLE attempts (
  delivery_id txt     NOT NULL,
  id          txt     NOT NULL,
  has_body    boolean NOT NULL,
  document    text    NOT NULL,
  PRIMARY KEY (delivery_id, id)
) PARTITION BY RANGE (delivery_id);
CREATE TABLE attempts_default PARTITION OF attempts DEFAULT;

CREATE TABLE lanes (
  number         int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  queue          txt NOT NULL,
  destination_id txt NOT NULL,
  key            txt NOT NULL,
  sealed_url     text NOT NULL,
  UNIQUE (queue, destination_id, key)
);

-- due_at NULL: held. Lanes 0 and -1: deliveries and notices that have no parts yet. claimed_by: a node, which has the part while it is alive. fence
-- changes with each claim. Claims change no index, so there is room in each page for them.
CREATE SEQUENCE fences;
CREATE TABLE waiting_parts (
  queue       txt    NOT NULL,
  lane        int    NOT NULL,
  delivery_id txt    NOT NULL,
  due_at      bigint,
  claimed_by  txt,
  fence       bigint NOT NULL DEFAULT nextval('fences'),
  PRIMARY KEY (delivery_id, lane)
) WITH (fillfactor = 80);
CREATE INDEX waiting_parts_due ON waiting_parts (lane, due_at, delivery_id);

-- A row is the lease of all claims of a node: one small change renews them all.
-- schema: the version that the node knows. A step that it could not bear waits for it.
CREATE TABLE claiming_nodes (id txt PRIMARY KEY, until timestamptz NOT NULL, schema int NOT NULL DEFAULT 0);

-- content: the bytes of an event that is not in the archive, or of a message of the log that could not be read.
CREATE TABLE quarantine (id txt PRIMARY KEY, reason text NOT NULL, at bigint NOT NULL, content bytea);

-- finished_at NULL: open. search_text is JSON. It may contain data of a user, so a purge removes it.
CREATE TABLE replays (
  id          txt    PRIMARY KEY,
  state       txt    NOT NULL,
  created_at  bigint NOT NULL,
  finished_at bigint,
  scanned     bigint NOT NULL DEFAULT 0,
  requeued    bigint NOT NULL DEFAULT 0,
  reached_at  bigint,
  cursor      text,
  document    text   NOT NULL,
  search_text text
);
CREATE INDEX replays_with_text ON replays (id) WHERE search_text IS NOT NULL;
CREATE INDEX replays_open ON replays (id) WHERE finished_at IS NULL;

-- How deliveries of replays ended: the sum of the slots of a replay, so that few records wait for the same row.
CREATE TABLE replay_ends (
  replay_id txt    NOT NULL,
  slot      int    NOT NULL,
  delivered bigint NOT NULL,
  failed    bigint NOT NULL,
  PRIMARY KEY (replay_id, slot)
) WITH (fillfactor = 50);

-- Profiles, facts, and what is computed of them. Texts of JSON are `text`, not jsonb: that refuses U+0000 and lone
-- surrogates, which traits may have. Triggers keep the sizes of computations: one change of the row for
-- each statement, however many rows the statement has.

-- Who follows the archive, and the seq of the last event that it has reached. Retention keeps what comes after.
CREATE TABLE cursors (name txt PRIMARY KEY, through bigint NOT NULL);

-- Its row is locked by a transaction that applies a slice, and by one that removes identities: they take turns.
-- `identities`: the number of the last one. No number is used again.
CREATE TABLE profiles_state (
  only_row   boolean PRIMARY KEY CHECK (only_row),
  purges     bigint  NOT NULL,
  identities bigint  NOT NULL,
  max_links  bigint  NOT NULL
);
INSERT INTO profiles_state VALUES (true, 0, 0, 100);

-- An id, and the identity that leads its profile: itself, until it is linked. `is_seen`: an event or a list has named it, not
-- an alias alone as the former id. `version`, `dirty_since` and `recheck_at` are of the profile that it leads.
-- Most events change the counts and no indexed column: with room in the page, that writes no index.
CREATE TABLE identities (
  id            bigint  PRIMARY KEY,
  space         txt     NOT NULL,
  kind          txt     NOT NULL,
  name          txt     NOT NULL,
  profile       bigint  NOT NULL,
  is_seen       boolean NOT NULL,
  first_seen_at bigint,
  last_seen_at  bigint,
  counts        text    NOT NULL,
  placeholders  bigint  NOT NULL,
  version       bigint  NOT NULL,
  dirty_since   bigint,
  recheck_at    bigint
) WITH (fillfactor = 80);
CREATE INDEX identities_by_name ON identities USING hash (name);
CREATE INDEX identities_by_profile ON identities (profile, space);
CREATE INDEX identities_leading ON identities (space, id) WHERE profile = id;
CREATE INDEX identities_dirty ON identities (dirty_since, id) WHERE dirty_since IS NOT NULL;
CREATE INDEX identities_recheck ON identities (recheck_at, id) WHERE recheck_at IS NOT NULL;

-- By name [value, at, received at, event, source]; a removed one has the value null. They are in a table of their own
-- because they are long, and most events change none of them.
CREATE TABLE identity_traits (identity bigint PRIMARY KEY, traits text NOT NULL);

CREATE INDEX identities_by_beginning ON identities (space, substr(name, 1, 100), id) WHERE kind = 'user';

-- Traits that were searched for, and the identities with a value of them. `filled_through`: the last identity that the index
-- has, or NULL if it has all of them.
CREATE TABLE trait_indexes (
  number         bigint PRIMARY KEY,
  name           txt    NOT NULL,
  filled_through bigint,
  used_at        bigint NOT NULL
);
CREATE TABLE trait_values (
  trait    bigint NOT NULL,
  value    txt    NOT NULL,
  identity bigint NOT NULL,
  PRIMARY KEY (trait, value, identity)
);
CREATE INDEX trait_values_by_identity ON trait_values (identity, trait);

-- The earliest event of a user with an anonymousId. `is_first`: no other user claims it earlier.
CREATE TABLE claims (
  anonymous   bigint  NOT NULL,
  claimer     bigint  NOT NULL,
  at          bigint  NOT NULL,
  received_at bigint  NOT NULL,
  message_id  txt     NOT NULL,
  event_id    txt     NOT NULL,
  source_id   txt     NOT NULL,
  is_first    boolean NOT NULL,
  PRIMARY KEY (anonymous, claimer)
);
CREATE UNIQUE INDEX claims_first ON claims (anonymous) WHERE is_first;
CREATE INDEX claims_by_claimer ON claims (claimer, at);
CREATE INDEX claims_first_by_claimer ON claims (claimer, at, received_at) WHERE is_first;

-- Each alias has two rows, one for each user.
CREATE TABLE aliases (
  identity    bigint  NOT NULL,
  partner     bigint  NOT NULL,
  at          bigint  NOT NULL,
  received_at bigint  NOT NULL,
  message_id  txt     NOT NULL,
  event_id    txt     NOT NULL,
  source_id   txt     NOT NULL,
  is_linked   boolean NOT NULL,
  PRIMARY KEY (identity, partner)
);
CREATE INDEX aliases_by_partner ON aliases (partner);
CREATE INDEX aliases_linked ON aliases (identity, partner) WHERE is_linked;
CREATE INDEX aliases_refused ON aliases (identity, partner) WHERE NOT is_linked;

CREATE TABLE spaces (name txt PRIMARY KEY, profiles bigint NOT NULL);

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
  identity bigint NOT NULL,
  clause   bigint NOT NULL,
  at       bigint NOT NULL,
  position bigint NOT NULL,
  value    text,
  PRIMARY KEY (identity, clause, at, position)
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
CREATE INDEX announced_by_computation ON announced (computation, substr(user_id, 1, 500));

-- The lists of manual audiences.
CREATE TABLE listed_users (
  computation bigint NOT NULL,
  user_id     txt    NOT NULL
);
CREATE INDEX listed_users_by_user ON listed_users USING hash (user_id);
CREATE INDEX listed_users_by_computation ON listed_users (computation, substr(user_id, 1, 500));

CREATE TABLE syncs (
  id          txt     PRIMARY KEY,
  computation txt     NOT NULL,
  is_open     boolean NOT NULL,
  document    text    NOT NULL
);
CREATE INDEX syncs_by_computation ON syncs (computation, id);
CREATE INDEX syncs_open ON syncs (id) WHERE is_open;

-- What one node does at a time. `fence` grows with each holder: a node that slept through its lease does not renew it.

CREATE TABLE leases (
  name   txt         PRIMARY KEY,
  holder txt         NOT NULL,
  fence  bigint      NOT NULL,
  until  timestamptz NOT NULL
);

-- Keys that the service makes for itself, sealed.
CREATE TABLE own_keys (name txt PRIMARY KEY, sealed text NOT NULL);

-- Deletions, whom they are about, suppressions and notices.

CREATE TABLE deletions (
  id                      txt    NOT NULL PRIMARY KEY,
  step                    txt    NOT NULL,
  started_at              bigint,
  suppressed_at           bigint,
  purged_at               bigint,
  notified_at             bigint,
  purge_through           bigint,
  purged_events           bigint NOT NULL DEFAULT 0,
  purged_anonymous_events bigint NOT NULL DEFAULT 0,
  purged_deliveries       bigint NOT NULL DEFAULT 0,
  document                text   NOT NULL
);
CREATE INDEX deletions_open ON deletions (id) WHERE step <> 'done';

CREATE TABLE deletion_ids (deletion_id txt NOT NULL, kind txt NOT NULL, id txt NOT NULL);
CREATE INDEX deletion_ids_in_order ON deletion_ids (deletion_id, kind, substr(id, 1, 500));

-- An empty source_id stands for every source, those to come included.
CREATE TABLE suppressions (
  seq              bigint NOT NULL PRIMARY KEY,
  kind             txt    NOT NULL,
  user_id          txt    NOT NULL,
  source_id        txt    NOT NULL,
  since            bigint NOT NULL,
  deletion_id      txt    NOT NULL,
  calls_left_out   bigint NOT NULL DEFAULT 0,
  last_left_out_at bigint
);
CREATE INDEX suppressions_of_user ON suppressions USING hash (user_id);

-- Suppressions that have ended in the last day. Both tables share the numbers of changes, so a node reads on from the last one.
CREATE TABLE ended_suppressions (
  seq      bigint NOT NULL PRIMARY KEY,
  kind     txt    NOT NULL,
  user_id  txt    NOT NULL,
  ended_at bigint NOT NULL
);

-- A delivery each, of a deletion in place of an event.
CREATE TABLE notices (
  id             txt     NOT NULL PRIMARY KEY,
  deletion_id    txt     NOT NULL,
  source_id      txt     NOT NULL,
  destination_id txt     NOT NULL,
  kind           txt     NOT NULL,
  user_id        txt     NOT NULL,
  created_at     bigint  NOT NULL,
  state          txt     NOT NULL,
  rounds         int     NOT NULL,
  first_due_at   bigint  NOT NULL,
  due_at         bigint,
  ended_at       bigint,
  attempts       int     NOT NULL,
  webhooks       text    NOT NULL,
  is_waiting     boolean NOT NULL
);
CREATE INDEX notices_of_deletion ON notices (deletion_id, id);
CREATE INDEX notices_open ON notices (destination_id, state) WHERE state IN ('pending', 'held');

-- Configuration and access, with what tells nodes of changes; counts over time.

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
  last_used_at bigint
);

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
  counts         text   NOT NULL, -- JSON
  PRIMARY KEY (span, start, source_id, destination_id)
) WITH (fillfactor = 70);
CREATE INDEX statistics_of_source ON statistics (span, source_id, start, destination_id);
CREATE INDEX statistics_of_destination ON statistics (span, destination_id, start, source_id)
  WHERE destination_id <> '';
CREATE FUNCTION sum_of_counts(a text, b text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
  SELECT jsonb_object_agg(name, sum)::text FROM (
    SELECT key AS name, sum(value::bigint) AS sum
    FROM (SELECT * FROM jsonb_each_text(a::jsonb) UNION ALL SELECT * FROM jsonb_each_text(b::jsonb)) AS counts
    GROUP BY key) AS sums
$$;

-- The nodes of the service: a row each, which a heartbeat keeps alive.

CREATE TABLE nodes (
  id         txt         PRIMARY KEY,
  version    txt         NOT NULL,
  role       txt         NOT NULL,
  started_at timestamptz NOT NULL,
  seen_at    timestamptz NOT NULL
);

-- How far the data of an embedded service was moved here.

-- identity: of the data. finished_at NULL: no node starts. report: JSON; NULL until all tables are compared.
CREATE TABLE data_move (
  only_row    boolean     PRIMARY KEY CHECK (only_row),
  identity    txt         NOT NULL,
  begun_at    timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  report      text
);

-- place: the key of the last copied row.
CREATE TABLE moved_tables (name txt PRIMARY KEY, place text, is_done boolean NOT NULL);

-- The installation that this database and the stream of its log belong to. stream and servers NULL: no node has made it yet.
CREATE TABLE installation (
  only_row boolean PRIMARY KEY CHECK (only_row),
  id       txt     NOT NULL,
  stream   txt,
  servers  text
);
INSERT INTO installation VALUES (true, gen_random_uuid());

-- What is stored, and what waits, in numbers. Every statement that changes the archive or deliveries adds rows to `tallies`:
-- what it has changed, by the day in the ids. So no statement waits for another one, and the sum is exact. The rows of a day
-- are put together from time to time.
--
-- Kinds: a table (its rows, and their bytes); a state that is no end (deliveries, by destination); `missing` (rows of the
-- table in `of` that something else than retention or a purge has deleted).

CREATE TABLE tallies (
  day   int    NOT NULL, -- since 1970; 0 for what has no day
  kind  txt    NOT NULL,
  of    txt    NOT NULL,
  rows  bigint NOT NULL,
  bytes bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Of an id without its prefix: the first ten letters are its time, in Crockford's base32.
CREATE FUNCTION day_of(moment text) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ((
    ((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(moment, 1, 1)) - 1)::bigint << 45) +
    ((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(moment, 2, 1)) - 1)::bigint << 40) +
    ((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(moment, 3, 1)) - 1)::bigint << 35) +
    ((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(moment, 4, 1)) - 1)::bigint << 30) +
    ((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(moment, 5, 1)) - 1)::bigint << 25) +
    ((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(moment, 6, 1)) - 1)::bigint << 20) +
    ((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(moment, 7, 1)) - 1)::bigint << 15) +
    ((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(moment, 8, 1)) - 1)::bigint << 10) +
    ((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(moment, 9, 1)) - 1)::bigint << 5) +
    ((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(moment, 10, 1)) - 1)::bigint << 0)
  ) / 86400000)::int $$;

-- A trigger for each kind of statement. A table has: the column that begins with the time; what a row takes beside its long
-- columns (its head, its ids, its entries in indexes), and these. Many rows of a statement are of the same moment: its day is
-- found once.
DO $do$
DECLARE
  tallied record;
  also text;
BEGIN
  FOR tallied IN
    SELECT * FROM (VALUES
      ('events', 'id', '350 + octet_length(body) + octet_length(rest)'),
      ('declined', 'event_id', '150'),
      ('deliveries', 'id', '300 + octet_length(webhooks)'),
      ('attempts', 'delivery_id', '150 + octet_length(document)')
    ) AS tables (name, id, bytes), (VALUES
      ('insert', 'NEW TABLE AS added', 'SELECT 1 AS sign, * FROM added'),
      ('update', 'OLD TABLE AS removed NEW TABLE AS added',
        'SELECT 1 AS sign, * FROM added UNION ALL SELECT -1, * FROM removed'),
      ('delete', 'OLD TABLE AS removed', 'SELECT -1 AS sign, * FROM removed')
    ) AS statements (change, referencing, changed)
    WHERE change <> 'update' OR name = 'deliveries'
  LOOP
    also := '';
    IF tallied.name = 'deliveries' THEN
      also := format($format$
        INSERT INTO tallies
          SELECT day_of(moment), state, destination_id, sum(sign), 0 FROM (
            SELECT substr(id, 5, 10) AS moment, state, destination_id, sum(sign) AS sign FROM (%s) AS changed
            WHERE state IN ('pending', 'held') GROUP BY 1, 2, 3) AS moments
          GROUP BY 1, 2, 3 HAVING sum(sign) <> 0;$format$, tallied.changed);
    END IF;
    -- Retention and purges set it while they remove rows (deletions/remove-events.ts).
    IF tallied.change = 'delete' AND tallied.name <> 'attempts' THEN
      also := also || format($format$
        IF current_setting('hookline.removal', true) IS DISTINCT FROM 'on' THEN
          INSERT INTO tallies SELECT 0, 'missing', %L, count(*), 0 FROM removed HAVING count(*) > 0;
        END IF;$format$, tallied.name);
    END IF;
    EXECUTE format($format$
      CREATE FUNCTION %1$I() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        INSERT INTO tallies
          SELECT day_of(moment), %2$L, '', sum(sign), sum(bytes) FROM (
            SELECT substr(%3$I, 5, 10) AS moment, sum(sign) AS sign, sum(sign * (%4$s)) AS bytes
            FROM (%5$s) AS changed GROUP BY 1) AS moments
          GROUP BY 1 HAVING sum(sign) <> 0 OR sum(bytes) <> 0;
        %6$s
        RETURN NULL;
      END $$;
      CREATE TRIGGER %1$I AFTER %7$s ON %2$I REFERENCING %8$s FOR EACH STATEMENT EXECUTE FUNCTION %1$I();$format$,
      format('tally_%s_%s', tallied.change, tallied.name), tallied.name, tallied.id, tallied.bytes, tallied.changed, also,
      tallied.change, tallied.referencing);
  END LOOP;
END $do$;

-- What retention keeps of a day.
CREATE INDEX deliveries_waiting ON deliveries (id) WHERE is_waiting;

-- What most events and most deliveries are: new. Each function writes many of them in one call, with plans that PostgreSQL
-- keeps. It may make the plans when the tables are nearly empty, so each look-up is a query of its own (LATERAL with a LIMIT)
-- that may only use an index. That of messages is the only one in the order that is asked for, and nothing may be sorted: the
-- bounds of ids are there to leave out partitions, and the index of ids would read all that is between them.
--
-- `archive_new` archives events that are all new: takes the lock of the archive, looks each of them up, and writes them.
-- Returns the seq of the last one; NULL, with nothing written, where one of them is known, or a purge or a suppression names a
-- user of them. The caller sees to it that no two of them have the same source and messageId. Each statement of the function
-- sees what was committed when it begins, so the look-ups see all that was archived before the lock was free.
--
-- `record_new` records deliveries that have ended, and returns the ids of those that it has written: the others are there
-- already, or their event is gone. The event is locked, as in the statement for all deliveries: a purge removes events before
-- deliveries.

CREATE FUNCTION archive_new(
  ids text[], positions bigint[], source_ids text[], message_ids text[], types text[], user_ids text[],
  anonymous_ids text[], previous_ids text[], times bigint[], all_marks text[], origins text[], bodies bytea[], rests text[],
  checksums bigint[], named_ids text[], dedupe_window bigint, least_id text, end_id text,
  declined_events text[], declined_destinations text[], declined_reasons text[], declined_since bigint[]
) RETURNS bigint LANGUAGE plpgsql SET search_path FROM CURRENT
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_sort = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  last bigint;
  many int := cardinality(ids);
BEGIN
  PERFORM pg_advisory_xact_lock(1751870574, 1);
  IF EXISTS (SELECT FROM unnest(named_ids) AS named (id) CROSS JOIN LATERAL (
      SELECT FROM purged_ids WHERE purged_ids.id = named.id LIMIT 1) AS purged)
    OR EXISTS (SELECT FROM unnest(named_ids) AS named (id) CROSS JOIN LATERAL (
      SELECT FROM suppressions WHERE suppressions.user_id = named.id LIMIT 1) AS suppressed)
    OR EXISTS (SELECT FROM unnest(ids) AS new (id) CROSS JOIN LATERAL (
      SELECT FROM events WHERE events.id = new.id LIMIT 1) AS archived)
    OR EXISTS (SELECT FROM unnest(ids) AS new (id) CROSS JOIN LATERAL (
      SELECT FROM counted_duplicates WHERE counted_duplicates.id = new.id LIMIT 1) AS counted)
    OR EXISTS (SELECT FROM unnest(source_ids, message_ids, times) AS new (source_id, message_id, at) CROSS JOIN LATERAL (
      SELECT FROM events WHERE left(events.message_id, 500) = left(new.message_id, 500)
        AND events.message_id = new.message_id AND events.source_id = new.source_id
        AND events.received_at >= new.at - dedupe_window AND events.id >= least_id AND events.id < end_id
      ORDER BY events.received_at, events.seq LIMIT 1) AS original)
  THEN RETURN NULL; END IF;

  UPDATE archive SET seq = seq + many RETURNING seq INTO last;
  INSERT INTO events (id, seq, log_position, source_id, message_id, type, user_id, anonymous_id, previous_id,
      received_at, marks, origin, body, rest, checksum)
    SELECT id, last - many + number, position, source_id, message_id, type, user_id, anonymous_id, previous_id, at, marks,
      origin, body, rest, checksum
    FROM unnest(ids, positions, source_ids, message_ids, types, user_ids, anonymous_ids, previous_ids, times, all_marks,
      origins, bodies, rests, checksums) WITH ORDINALITY AS new (id, position, source_id, message_id, type, user_id, anonymous_id,
      previous_id, at, marks, origin, body, rest, checksum, number);
  IF cardinality(declined_events) > 0 THEN
    INSERT INTO declined (event_id, destination_id, reason, since)
      SELECT * FROM unnest(declined_events, declined_destinations, declined_reasons, declined_since)
      ON CONFLICT DO NOTHING;
  END IF;
  RETURN last;
END $$;

CREATE FUNCTION record_new(
  ids text[], event_ids text[], destination_ids text[], states text[], all_rounds int[], due_times bigint[], all_webhooks text[]
) RETURNS SETOF text LANGUAGE plpgsql SET search_path FROM CURRENT
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY
    WITH fresh AS MATERIALIZED (
      SELECT given.* FROM unnest(ids, event_ids, destination_ids, states, all_rounds, due_times, all_webhooks)
        AS given (id, event_id, destination_id, state, rounds, first_due_at, webhooks)
      CROSS JOIN LATERAL (
        SELECT FROM events WHERE events.id = given.event_id LIMIT 1 FOR KEY SHARE) AS event)
    INSERT INTO deliveries (id, event_id, destination_id, state, rounds, first_due_at, webhooks, is_waiting)
      SELECT fresh.*, false FROM fresh ON CONFLICT (id) DO NOTHING RETURNING deliveries.id::text;
END $$;

-- What the overwriting of removed content needs (erasure/erase.ts). ANALYZE copies values of columns into `pg_statistic`, which
-- only a superuser can clean. So it leaves out columns with content, and what indexes have of them. The planner has its
-- defaults for those.

CREATE FUNCTION hide_from_statistics(hidden regclass, columns text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text;
  expression record;
BEGIN
  FOREACH name IN ARRAY columns LOOP
    EXECUTE format('ALTER TABLE ONLY %s ALTER COLUMN %I SET STATISTICS 0', hidden, name);
  END LOOP;
  FOR expression IN
    SELECT indexrelid::regclass AS of, place FROM pg_index, unnest(indkey) WITH ORDINALITY AS key (attribute, place)
    WHERE indrelid = hidden AND attribute = 0
  LOOP
    EXECUTE format('ALTER INDEX %s ALTER COLUMN %s SET STATISTICS 0', expression.of, expression.place);
  END LOOP;
END $$;

-- Hides in a table that was made like this one what is hidden there.
CREATE FUNCTION hide_alike(hidden regclass, model regclass) RETURNS void LANGUAGE sql AS $$
  SELECT hide_from_statistics(hidden, ARRAY(
    SELECT attname::text FROM pg_attribute WHERE attrelid = model AND attnum > 0 AND attstattarget = 0))
$$;

-- The tables that a purge removes content from, with the columns that may have what a client or a receiver has sent. Not
-- those that have nothing but userIds: deletions keep these, and the planner needs to know how many there are.
DO $$
DECLARE
  content record;
BEGIN
  FOR content IN SELECT * FROM (VALUES
    ('events', '{message_id,user_id,anonymous_id,previous_id,body,rest}'),
    ('attempts', '{document}'),
    ('quarantine', '{reason,content}'),
    ('outbox', '{chunk}'),
    ('replays', '{document,search_text}'),
    ('identities', '{name,counts}'),
    ('identity_traits', '{traits}'),
    ('trait_indexes', '{name}'),
    ('trait_values', '{value}'),
    ('claims', '{message_id}'),
    ('aliases', '{message_id}'),
    ('facts', '{value}'),
    ('results', '{value}'),
    ('announced', '{value}')) AS tables (name, columns)
  LOOP
    PERFORM hide_from_statistics(relid, content.columns::text[])
      FROM (SELECT content.name::regclass UNION SELECT relid FROM pg_partition_tree(content.name::regclass)) AS tables (relid);
  END LOOP;
END $$;

-- Days of which rows were removed one by one, whose bytes their partitions still have. is_begun: their rewriting has begun.
CREATE TABLE unerased_days (
  day      int     NOT NULL,
  is_begun boolean NOT NULL,
  PRIMARY KEY (day, is_begun)
);

-- The trigger of a partition that is being rewritten: it keeps the keys of the rows that change meanwhile.
CREATE FUNCTION keep_changed_key() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  statement text := format('INSERT INTO %I.%I (key) SELECT ($1).%I', TG_TABLE_SCHEMA, TG_ARGV[0], TG_ARGV[1]);
BEGIN
  IF TG_OP = 'DELETE' THEN
    EXECUTE statement USING OLD;
  ELSE
    EXECUTE statement USING NEW;
  END IF;
  RETURN NULL;
END $$;
