-- The archive, partitioned by day: ids sort by time. `txt` sorts by bytes. `seq` is the order of archiving, `log_position` the
-- order of the log, `checksum` the checksum of the accepted event (event-rows.ts).
--
-- Client-sent ids can be of any length, but index entries are limited to 2,700 bytes. So such columns have an index on their first
-- characters (`isId` in event-rows.ts) or a hash index, and uniqueness is checked under a lock.

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
  warnings             text   NOT NULL,
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

-- The last seq. Its row stays locked while events are archived.
CREATE TABLE archive (only_row boolean PRIMARY KEY CHECK (only_row), seq bigint NOT NULL);
INSERT INTO archive VALUES (true, 0);

-- Duplicates that are already counted. The archive removes the oldest ones.
CREATE TABLE counted_duplicates (id txt PRIMARY KEY);

CREATE TABLE declined (
  event_id       txt NOT NULL,
  destination_id txt NOT NULL,
  reason         txt NOT NULL,
  since          bigint,
  PRIMARY KEY (event_id, destination_id)
) PARTITION BY RANGE (event_id);
CREATE TABLE declined_default PARTITION OF declined DEFAULT;

-- A purge covers events with these ids up to a position. An empty source_id covers all sources. Nodes read new rows by number.
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

CREATE TABLE outbox (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  chunk  bytea  NOT NULL
);

-- `webhooks` and `document` name lanes instead of URLs, which may contain credentials.

CREATE TABLE deliveries (
  id             txt     NOT NULL PRIMARY KEY,
  event_id       txt     NOT NULL,
  destination_id txt     NOT NULL,
  state          txt     NOT NULL,
  attempt_count  int     NOT NULL,
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
  WHERE state <> 'delivered' AND (attempt_count > 0 OR state IN ('expired', 'quarantined'));
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

-- due_at NULL: held. Lanes 0 and -1: deliveries and notices without parts. claimed_by: a node; its claims last while it is alive.
-- Each claim changes fence. The fill factor leaves room for HOT updates, which do not touch the indexes.
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

-- Each row is the lease of all claims of a node. schema: the version that the node supports.
CREATE TABLE claiming_nodes (id txt PRIMARY KEY, until timestamptz NOT NULL, schema int NOT NULL DEFAULT 0);

-- content: an event that is not in the archive, or an unreadable message from the log.
CREATE TABLE quarantine (id txt PRIMARY KEY, reason text NOT NULL, at bigint NOT NULL, content bytea);

-- finished_at NULL: open. search_text: JSON; purges remove it from finished replays.
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

-- Outcomes of replayed deliveries: a sum over slots, so that few transactions wait for the same row.
CREATE TABLE replay_ends (
  replay_id txt    NOT NULL,
  slot      int    NOT NULL,
  delivered bigint NOT NULL,
  failed    bigint NOT NULL,
  PRIMARY KEY (replay_id, slot)
) WITH (fillfactor = 50);

-- Profiles, facts and computations. JSON is `text`: jsonb refuses U+0000 and lone surrogates.

-- Followers of the archive, with the seq of their last event. Retention keeps events that profiles have not reached.
CREATE TABLE cursors (name txt PRIMARY KEY, through bigint NOT NULL);

-- Every transaction that creates, links or removes identities locks the row. identities: the last number, never reused.
CREATE TABLE profiles_state (
  only_row   boolean PRIMARY KEY CHECK (only_row),
  purges     bigint  NOT NULL,
  identities bigint  NOT NULL,
  max_links  bigint  NOT NULL
);
INSERT INTO profiles_state VALUES (true, 0, 0, 100);

-- profile: the leading identity. is_seen: named by an event or a list.
-- The fill factor leaves room for HOT updates, which do not touch the indexes.
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

-- JSON by name: [value, at, received at, event, source, ms ahead]; the value of a removed trait is
-- null. In a separate table, because traits are long and rarely changed.
CREATE TABLE identity_traits (identity bigint PRIMARY KEY, traits text NOT NULL);

CREATE INDEX identities_by_beginning ON identities (space, substr(name, 1, 100), id) WHERE kind = 'user';

-- Indexes of searched traits. filled_through: the last indexed identity; NULL when complete.
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

-- A user's earliest event with an anonymousId. is_first: no other user claims it earlier.
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

-- Numbers are never reused: facts of removed clauses remain until they are pruned.
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

CREATE TABLE announced (
  user_id     txt    NOT NULL,
  computation bigint NOT NULL,
  value       text   NOT NULL,
  number      bigint NOT NULL,
  at          bigint NOT NULL
);
CREATE INDEX announced_to ON announced USING hash (user_id);
CREATE INDEX announced_by_computation ON announced (computation, substr(user_id, 1, 500));

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

CREATE TABLE alert_states (key txt PRIMARY KEY, document text NOT NULL);

-- Work that only one node does at a time. fence grows with each holder, so an expired holder cannot
-- renew.

CREATE TABLE leases (
  name   txt         PRIMARY KEY,
  holder txt         NOT NULL,
  fence  bigint      NOT NULL,
  until  timestamptz NOT NULL
);

CREATE TABLE own_keys (name txt PRIMARY KEY, sealed text NOT NULL);

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

-- An empty source_id covers all sources.
CREATE TABLE suppressions (
  seq              bigint NOT NULL PRIMARY KEY,
  kind             txt    NOT NULL,
  user_id          txt    NOT NULL,
  source_id        txt    NOT NULL,
  since            bigint NOT NULL,
  deletion_id      txt    NOT NULL,
  dropped_calls   bigint NOT NULL DEFAULT 0,
  last_dropped_at bigint
);
CREATE INDEX suppressions_of_user ON suppressions USING hash (user_id);

-- Ended suppressions, kept for at least a day. Both tables share one sequence, so nodes read new
-- rows by seq.
CREATE TABLE ended_suppressions (
  seq      bigint NOT NULL PRIMARY KEY,
  kind     txt    NOT NULL,
  user_id  txt    NOT NULL,
  ended_at bigint NOT NULL
);

CREATE TABLE notices (
  id             txt     NOT NULL PRIMARY KEY,
  deletion_id    txt     NOT NULL,
  source_id      txt     NOT NULL,
  destination_id txt     NOT NULL,
  kind           txt     NOT NULL,
  user_id        txt     NOT NULL,
  created_at     bigint  NOT NULL,
  state          txt     NOT NULL,
  attempt_count  int     NOT NULL,
  first_due_at   bigint  NOT NULL,
  due_at         bigint,
  ended_at       bigint,
  attempts       int     NOT NULL,
  webhooks       text    NOT NULL,
  is_waiting     boolean NOT NULL
);
CREATE INDEX notices_of_deletion ON notices (deletion_id, id);
CREATE INDEX notices_open ON notices (destination_id, state) WHERE state IN ('pending', 'held');

-- The last change of each kind. Its row is locked until the commit, so numbers are in commit order.
CREATE TABLE changes (kind txt PRIMARY KEY, number bigint NOT NULL);

-- Ids of the keys that secrets are sealed with, oldest first.
CREATE TABLE encryption_keys (id txt PRIMARY KEY, number bigint GENERATED ALWAYS AS IDENTITY);

-- number: of the last change. source_id: only for destinations. settings: the sealed secrets of a source or destination.
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

-- target_id may be a user id of any length.
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

CREATE TABLE reserved_keys (key txt PRIMARY KEY, node txt NOT NULL, until bigint NOT NULL);

-- The fill factor leaves room for HOT updates, which do not touch the indexes.
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

-- Names of events and of their properties, never values. type: empty for the sum of all names
-- beyond the limit of their source. sole_user: a hash of the only user who sent it, or empty.
CREATE TABLE event_names (
  source_id       txt    NOT NULL,
  type            txt    NOT NULL,
  name            txt    NOT NULL,
  count           bigint NOT NULL,
  first_seen_at   bigint NOT NULL,
  last_seen_at    bigint NOT NULL,
  days            text   NOT NULL, -- JSON: pairs of a day and its count
  more_properties bigint NOT NULL,
  sole_user       txt    NOT NULL,
  PRIMARY KEY (source_id, type, name)
) WITH (fillfactor = 70);
CREATE INDEX event_names_of_user ON event_names (sole_user) WHERE sole_user <> '';

-- types: a bit for each JSON type.
CREATE TABLE event_properties (
  source_id    txt    NOT NULL,
  type         txt    NOT NULL,
  event        txt    NOT NULL,
  name         txt    NOT NULL,
  types        bigint NOT NULL,
  last_seen_at bigint NOT NULL,
  sole_user    txt    NOT NULL,
  PRIMARY KEY (source_id, type, event, name)
) WITH (fillfactor = 70);
CREATE INDEX event_properties_of_user ON event_properties (sole_user) WHERE sole_user <> '';

CREATE TABLE nodes (
  id         txt         PRIMARY KEY,
  version    txt         NOT NULL,
  role       txt         NOT NULL,
  started_at timestamptz NOT NULL,
  seen_at    timestamptz NOT NULL
);

-- The move of the data of an embedded service into this cluster (`hookline migrate-data`).

-- identity: of the data. finished_at NULL: no node starts.
CREATE TABLE data_move (
  only_row    boolean     PRIMARY KEY CHECK (only_row),
  identity    txt         NOT NULL,
  finished_at timestamptz
);

-- last_key: the key of the last copied row. skipped: rows that were not copied.
CREATE TABLE moved_tables (name txt PRIMARY KEY, last_key text NOT NULL, skipped bigint NOT NULL);

-- This database and its log stream belong to one installation. stream and servers are NULL until a
-- node creates the stream.
CREATE TABLE installation (
  only_row boolean PRIMARY KEY CHECK (only_row),
  id       txt     NOT NULL,
  stream   txt,
  servers  text
);
INSERT INTO installation VALUES (true, gen_random_uuid());

-- Counts of rows and bytes by day. Each statement on the archive or deliveries adds rows with its
-- changes, so no statement waits for another, and sums are exact. Upkeep merges the rows for a day.
--
-- kind: a table; an unfinished state (deliveries by destination); or `missing` (rows deleted from table `of`, but not by retention
-- or a purge).

CREATE TABLE tallies (
  day   int    NOT NULL, -- since 1970; 0: no day
  kind  txt    NOT NULL,
  of    txt    NOT NULL,
  rows  bigint NOT NULL,
  bytes bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- The day of an id, from its time prefix: ten characters of base32 (Crockford).
CREATE FUNCTION day_of(time_prefix text) RETURNS int LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  ms bigint := 0;
BEGIN
  FOR place IN 1..10 LOOP
    ms := ms * 32 + strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(time_prefix, place, 1)) - 1;
  END LOOP;
  RETURN ms / 86400000;
END $$;

-- One trigger per table and statement kind. For each table: its id column, and the estimated row size (a constant for header, ids and
-- index entries, plus the long columns). Rows are grouped by time prefix first, because `day_of` is slow.
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
          SELECT day_of(time_prefix), state, destination_id, sum(sign), 0 FROM (
            SELECT substr(id, 5, 10) AS time_prefix, state, destination_id, sum(sign) AS sign FROM (%s) AS changed
            WHERE state IN ('pending', 'held') GROUP BY 1, 2, 3) AS prefixes
          GROUP BY 1, 2, 3 HAVING sum(sign) <> 0;$format$, tallied.changed);
    END IF;
    -- Set by retention and purges (deletions/remove-events.ts).
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
          SELECT day_of(time_prefix), %2$L, '', sum(sign), sum(bytes) FROM (
            SELECT substr(%3$I, 5, 10) AS time_prefix, sum(sign) AS sign, sum(sign * (%4$s)) AS bytes
            FROM (%5$s) AS changed GROUP BY 1) AS prefixes
          GROUP BY 1 HAVING sum(sign) <> 0 OR sum(bytes) <> 0;
        %6$s
        RETURN NULL;
      END $$;
      CREATE TRIGGER %1$I AFTER %7$s ON %2$I REFERENCING %8$s FOR EACH STATEMENT EXECUTE FUNCTION %1$I();$format$,
      format('tally_%s_%s', tallied.change, tallied.name), tallied.name, tallied.id, tallied.bytes, tallied.changed, also,
      tallied.change, tallied.referencing);
  END LOOP;
END $do$;

-- Retention keeps waiting deliveries.
CREATE INDEX deliveries_waiting ON deliveries (id) WHERE is_waiting;

-- Fast paths for new events and deliveries. Plans may be made on nearly empty tables, so each lookup is a LATERAL query with a
-- LIMIT that can only use an index. The lookup of messages must not sort, or PostgreSQL would read all events.
--
-- `archive_new` takes the archive lock and writes the events. Returns the last seq; NULL, without writing, if an event is known
-- or a purge or suppression names one of its users. The events must have distinct source and messageId.
--
-- `record_new` writes finished deliveries that do not exist yet and whose events exist, and returns their ids. It locks events,
-- which purges remove before their deliveries.

CREATE FUNCTION archive_new(
  ids text[], positions bigint[], source_ids text[], message_ids text[], types text[], user_ids text[],
  anonymous_ids text[], previous_ids text[], times bigint[], all_warnings text[], origins text[], bodies bytea[], rests text[],
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
      received_at, warnings, origin, body, rest, checksum)
    SELECT id, last - many + number, position, source_id, message_id, type, user_id, anonymous_id, previous_id, at, warnings,
      origin, body, rest, checksum
    FROM unnest(ids, positions, source_ids, message_ids, types, user_ids, anonymous_ids, previous_ids, times, all_warnings,
      origins, bodies, rests, checksums) WITH ORDINALITY AS new (id, position, source_id, message_id, type, user_id, anonymous_id,
      previous_id, at, warnings, origin, body, rest, checksum, number);
  IF cardinality(declined_events) > 0 THEN
    INSERT INTO declined (event_id, destination_id, reason, since)
      SELECT * FROM unnest(declined_events, declined_destinations, declined_reasons, declined_since)
      ON CONFLICT DO NOTHING;
  END IF;
  RETURN last;
END $$;

CREATE FUNCTION record_new(
  ids text[], event_ids text[], destination_ids text[], states text[], all_attempt_counts int[], due_times bigint[], all_webhooks text[]
) RETURNS SETOF text LANGUAGE plpgsql SET search_path FROM CURRENT
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY
    WITH fresh AS MATERIALIZED (
      SELECT given.* FROM unnest(ids, event_ids, destination_ids, states, all_attempt_counts, due_times, all_webhooks)
        AS given (id, event_id, destination_id, state, attempt_count, first_due_at, webhooks)
      CROSS JOIN LATERAL (
        SELECT FROM events WHERE events.id = given.event_id LIMIT 1 FOR KEY SHARE) AS event)
    INSERT INTO deliveries (id, event_id, destination_id, state, attempt_count, first_due_at, webhooks, is_waiting)
      SELECT fresh.*, false FROM fresh ON CONFLICT (id) DO NOTHING RETURNING deliveries.id::text;
END $$;

-- Columns with content have no statistics: ANALYZE copies values into `pg_statistic`, where erasure cannot remove them.

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

CREATE FUNCTION hide_alike(hidden regclass, model regclass) RETURNS void LANGUAGE sql AS $$
  SELECT hide_from_statistics(hidden, ARRAY(
    SELECT attname::text FROM pg_attribute WHERE attrelid = model AND attnum > 0 AND attstattarget = 0))
$$;

-- Columns with content from clients or receivers. User ids of deletions are kept, and the planner needs their statistics.
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
    ('event_names', '{name,sole_user}'),
    ('event_properties', '{event,name,sole_user}'),
    ('announced', '{value}')) AS tables (name, columns)
  LOOP
    PERFORM hide_from_statistics(relid, content.columns::text[])
      FROM (SELECT content.name::regclass UNION SELECT relid FROM pg_partition_tree(content.name::regclass)) AS tables (relid);
  END LOOP;
END $$;

-- Days whose partitions still have bytes of removed rows. is_begun: the rewrite has begun.
CREATE TABLE unerased_days (
  day      int     NOT NULL,
  is_begun boolean NOT NULL,
  PRIMARY KEY (day, is_begun)
);

-- Trigger of a partition that is being rewritten: records the keys of changed rows.
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
