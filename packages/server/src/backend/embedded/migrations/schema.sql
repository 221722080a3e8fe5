-- The tables of one data folder. Triggers maintain most counts of rows, so no statement can miss a
-- change, and scrapes need not count rows.

-- Log and archive in one. `body` is the webhook request body (unless the destination has field rules, a format or a
-- transform), byte for byte; `rest` is JSON of the other fields.
CREATE TABLE events (
  seq               INTEGER PRIMARY KEY,
  id                TEXT    NOT NULL UNIQUE,
  source_id         TEXT    NOT NULL,
  message_id        TEXT    NOT NULL,
  type              TEXT    NOT NULL,
  received_at       INTEGER NOT NULL,
  warnings             TEXT    NOT NULL,
  duplicates        INTEGER NOT NULL DEFAULT 0,
  body              TEXT    NOT NULL,
  user_id           TEXT,
  previous_id       TEXT,
  last_duplicate_at INTEGER,
  origin            TEXT,
  checksum          INTEGER NOT NULL,
  rest              TEXT    NOT NULL
) STRICT;
-- Prefixed with the segment (`store/event-order.ts`), so that new events change few pages.
CREATE INDEX events_by_message_id ON events (seq >> 10, message_id);
CREATE INDEX events_by_user_id ON events (seq >> 10, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX events_by_previous_id ON events (seq >> 10, previous_id) WHERE previous_id IS NOT NULL;

CREATE TABLE message_id_filters (
  number             INTEGER PRIMARY KEY,
  newest_received_at INTEGER NOT NULL,
  bits               BLOB    NOT NULL
) STRICT;

-- The consumer has acked every event up to `acked`. `commits` is also in the commit mark
-- (`database/commit-mark.ts`).
CREATE TABLE log_position (
  only_row  INTEGER PRIMARY KEY CHECK (only_row = 1),
  acked     INTEGER NOT NULL,
  hash_seed INTEGER NOT NULL,
  commits   INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO log_position (only_row, acked, hash_seed) VALUES (1, 0, random() & 0x1fffffffffffff);

CREATE TABLE cursors (name TEXT PRIMARY KEY, through INTEGER NOT NULL) STRICT;

CREATE TABLE declined (
  event_id       TEXT NOT NULL,
  destination_id TEXT NOT NULL,
  reason         TEXT NOT NULL,
  since          INTEGER,
  PRIMARY KEY (event_id, destination_id)
) STRICT, WITHOUT ROWID;

-- Clustered by id, which begins with the time of the event. `is_waiting`: a part is pending or held, or there are no parts yet.
CREATE TABLE deliveries (
  id             TEXT    NOT NULL PRIMARY KEY,
  event_id       TEXT    NOT NULL,
  destination_id TEXT    NOT NULL,
  state          TEXT    NOT NULL,
  attempt_count  INTEGER NOT NULL,
  first_due_at   INTEGER NOT NULL,
  due_at         INTEGER,
  webhooks       TEXT    NOT NULL,
  replay_id      TEXT,
  is_waiting     INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_oldest ON deliveries (first_due_at) WHERE state = 'pending';
-- For failure reports, including deliveries that ended without an attempt. A delivery that succeeds
-- at the first attempt never touches it.
CREATE INDEX deliveries_failing ON deliveries (destination_id, id)
  WHERE state <> 'delivered' AND (attempt_count > 0 OR state IN ('expired', 'quarantined'));

-- `has_body`: the document contains a response body. The column precedes the document, because
-- documents are long.
CREATE TABLE attempts (
  delivery_id TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  has_body    INTEGER NOT NULL,
  document    TEXT    NOT NULL,
  PRIMARY KEY (delivery_id, id)
) STRICT, WITHOUT ROWID;

-- content: NULL, because quarantined events are in the archive.
CREATE TABLE quarantine (
  id      TEXT    NOT NULL PRIMARY KEY,
  reason  TEXT    NOT NULL,
  at      INTEGER NOT NULL,
  content BLOB
) STRICT, WITHOUT ROWID;

CREATE TABLE waiting (
  destination_id TEXT    NOT NULL,
  state          TEXT    NOT NULL,
  count          INTEGER NOT NULL,
  PRIMARY KEY (destination_id, state)
) STRICT, WITHOUT ROWID;
-- A delivery that is final in its first record changes no count.
CREATE TRIGGER waiting_begins AFTER INSERT ON deliveries WHEN NEW.state IN ('pending', 'held') BEGIN
  INSERT INTO waiting VALUES (NEW.destination_id, NEW.state, 1)
    ON CONFLICT (destination_id, state) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER waiting_changes AFTER UPDATE OF state ON deliveries WHEN OLD.state <> NEW.state BEGIN
  UPDATE waiting SET count = count - 1 WHERE destination_id = OLD.destination_id AND state = OLD.state;
  INSERT INTO waiting SELECT NEW.destination_id, NEW.state, 1 WHERE NEW.state IN ('pending', 'held')
    ON CONFLICT (destination_id, state) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER waiting_ends AFTER DELETE ON deliveries WHEN OLD.state IN ('pending', 'held') BEGIN
  UPDATE waiting SET count = count - 1 WHERE destination_id = OLD.destination_id AND state = OLD.state;
END;

-- A delivery of a deletion instead of an event. Its failed attempts are in `attempts`.
CREATE TABLE notices (
  id             TEXT    NOT NULL PRIMARY KEY,
  deletion_id    TEXT    NOT NULL,
  source_id      TEXT    NOT NULL,
  destination_id TEXT    NOT NULL,
  user_id        TEXT    NOT NULL,
  created_at     INTEGER NOT NULL,
  state          TEXT    NOT NULL,
  attempt_count  INTEGER NOT NULL,
  first_due_at   INTEGER NOT NULL,
  due_at         INTEGER,
  ended_at       INTEGER,
  attempts       INTEGER NOT NULL,
  webhooks       TEXT    NOT NULL,
  is_waiting     INTEGER NOT NULL DEFAULT 0,
  kind           TEXT    NOT NULL DEFAULT 'user' -- of the id in user_id, as in identities: user or anonymous
) STRICT, WITHOUT ROWID;
CREATE INDEX notices_of_deletion
  ON notices (deletion_id, source_id, destination_id, state, ended_at, attempts);

-- One lane per webhook and queue. The URL, which may contain credentials, is sealed; deliveries and
-- attempts contain the number of the lane instead.
CREATE TABLE lanes (
  number         INTEGER PRIMARY KEY,
  queue          TEXT NOT NULL,
  destination_id TEXT NOT NULL,
  sealed_url     TEXT NOT NULL
) STRICT;

-- The queue of each lane, derived by triggers. Waiting deliveries without parts are in lane 0, waiting notices
-- without parts in lane -1.
CREATE TABLE waiting_parts (
  queue       TEXT    NOT NULL,
  lane        INTEGER NOT NULL,
  delivery_id TEXT    NOT NULL,
  due_at      INTEGER, -- NULL while it is held
  PRIMARY KEY (delivery_id, lane)
) STRICT, WITHOUT ROWID;
CREATE INDEX waiting_parts_due ON waiting_parts (lane, due_at, delivery_id);

CREATE TABLE waiting_lanes (
  lane    INTEGER NOT NULL,
  is_held INTEGER NOT NULL,
  count   INTEGER NOT NULL,
  PRIMARY KEY (lane, is_held)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER part_begins_waiting AFTER INSERT ON waiting_parts BEGIN
  INSERT INTO waiting_lanes VALUES (NEW.lane, NEW.due_at IS NULL, 1)
    ON CONFLICT (lane, is_held) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER part_ends_waiting AFTER DELETE ON waiting_parts BEGIN
  UPDATE waiting_lanes SET count = count - 1 WHERE lane = OLD.lane AND is_held = (OLD.due_at IS NULL);
END;

CREATE TRIGGER deliveries_begin_waiting AFTER INSERT ON deliveries WHEN NEW.is_waiting BEGIN
  INSERT INTO waiting_parts SELECT 'deliveries', part.value ->> '$.lane', NEW.id, part.value ->> '$.dueAt'
    FROM json_each(iif(json_valid(NEW.webhooks), NEW.webhooks, '[]')) AS part
    WHERE part.value ->> '$.state' IN ('pending', 'held');
  INSERT INTO waiting_parts SELECT 'deliveries', 0, NEW.id, NEW.due_at
    WHERE NOT EXISTS (SELECT 1 FROM waiting_parts WHERE delivery_id = NEW.id);
END;
CREATE TRIGGER deliveries_change_waiting AFTER UPDATE OF webhooks, due_at, is_waiting ON deliveries
  WHEN OLD.is_waiting OR NEW.is_waiting
BEGIN
  DELETE FROM waiting_parts WHERE delivery_id = OLD.id;
  INSERT INTO waiting_parts SELECT 'deliveries', part.value ->> '$.lane', NEW.id, part.value ->> '$.dueAt'
    FROM json_each(iif(json_valid(NEW.webhooks), NEW.webhooks, '[]')) AS part
    WHERE NEW.is_waiting AND part.value ->> '$.state' IN ('pending', 'held');
  INSERT INTO waiting_parts SELECT 'deliveries', 0, NEW.id, NEW.due_at
    WHERE NEW.is_waiting AND NOT EXISTS (SELECT 1 FROM waiting_parts WHERE delivery_id = NEW.id);
END;
CREATE TRIGGER deliveries_end_waiting AFTER DELETE ON deliveries WHEN OLD.is_waiting BEGIN
  DELETE FROM waiting_parts WHERE delivery_id = OLD.id;
END;
CREATE TRIGGER notices_begin_waiting AFTER INSERT ON notices WHEN NEW.is_waiting BEGIN
  INSERT INTO waiting_parts SELECT 'notices', part.value ->> '$.lane', NEW.id, part.value ->> '$.dueAt'
    FROM json_each(iif(json_valid(NEW.webhooks), NEW.webhooks, '[]')) AS part
    WHERE part.value ->> '$.state' IN ('pending', 'held');
  INSERT INTO waiting_parts SELECT 'notices', -1, NEW.id, NEW.due_at
    WHERE NOT EXISTS (SELECT 1 FROM waiting_parts WHERE delivery_id = NEW.id);
END;
CREATE TRIGGER notices_change_waiting AFTER UPDATE OF webhooks, due_at, is_waiting ON notices
  WHEN OLD.is_waiting OR NEW.is_waiting
BEGIN
  DELETE FROM waiting_parts WHERE delivery_id = OLD.id;
  INSERT INTO waiting_parts SELECT 'notices', part.value ->> '$.lane', NEW.id, part.value ->> '$.dueAt'
    FROM json_each(iif(json_valid(NEW.webhooks), NEW.webhooks, '[]')) AS part
    WHERE NEW.is_waiting AND part.value ->> '$.state' IN ('pending', 'held');
  INSERT INTO waiting_parts SELECT 'notices', -1, NEW.id, NEW.due_at
    WHERE NEW.is_waiting AND NOT EXISTS (SELECT 1 FROM waiting_parts WHERE delivery_id = NEW.id);
END;
CREATE TRIGGER notices_end_waiting AFTER DELETE ON notices WHEN OLD.is_waiting BEGIN
  DELETE FROM waiting_parts WHERE delivery_id = OLD.id;
END;

-- Ignore late records of purged items. Triggers cost less than a condition in each statement.
CREATE TRIGGER delivery_needs_event BEFORE INSERT ON deliveries
  WHEN NOT EXISTS (SELECT 1 FROM events WHERE id = NEW.event_id)
BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER attempt_needs_delivery BEFORE INSERT ON attempts
  WHEN NOT EXISTS (SELECT 1 FROM deliveries WHERE id = NEW.delivery_id)
    AND NOT EXISTS (SELECT 1 FROM notices WHERE id = NEW.delivery_id)
BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER decision_needs_event BEFORE INSERT ON declined
  WHEN NOT EXISTS (SELECT 1 FROM events WHERE id = NEW.event_id)
BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER quarantine_needs_item BEFORE INSERT ON quarantine
  WHEN NOT EXISTS (SELECT 1 FROM events WHERE id = NEW.id)
    AND NOT EXISTS (SELECT 1 FROM deliveries WHERE id = NEW.id)
    AND NOT EXISTS (SELECT 1 FROM notices WHERE id = NEW.id)
BEGIN SELECT RAISE(IGNORE); END;

-- Counts of missing rows. Triggers count every deleted row, and intended removals subtract the rows that they delete, so the counts
-- are 0 unless something else has deleted a row.
CREATE TABLE missing_rows (
  only_row   INTEGER PRIMARY KEY CHECK (only_row = 1),
  events     INTEGER NOT NULL,
  decisions  INTEGER NOT NULL,
  deliveries INTEGER NOT NULL
) STRICT;
INSERT INTO missing_rows VALUES (1, 0, 0, 0);
CREATE TRIGGER event_goes AFTER DELETE ON events BEGIN
  UPDATE missing_rows SET events = events + 1;
END;
CREATE TRIGGER decision_goes AFTER DELETE ON declined BEGIN
  UPDATE missing_rows SET decisions = decisions + 1;
END;
CREATE TRIGGER delivery_goes AFTER DELETE ON deliveries BEGIN
  UPDATE missing_rows SET deliveries = deliveries + 1;
END;

CREATE TABLE corruptions (
  found_at    INTEGER NOT NULL,
  description TEXT    NOT NULL,
  is_reported     INTEGER NOT NULL
) STRICT;

CREATE TABLE encryption_keys (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;

-- number: of the last change. source_id: only for destinations. settings: the sealed secrets of a source or destination.
CREATE TABLE catalog (
  kind      TEXT    NOT NULL,
  id        TEXT    NOT NULL,
  version   INTEGER NOT NULL,
  number    INTEGER NOT NULL,
  source_id TEXT,
  document  TEXT    NOT NULL,
  settings  TEXT,
  PRIMARY KEY (kind, id)
) STRICT;

CREATE TABLE key_uses (
  key          TEXT    NOT NULL PRIMARY KEY,
  last_used_at INTEGER NOT NULL,
  number       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
  id           TEXT NOT NULL PRIMARY KEY,
  last_used_at INTEGER,
  document     TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Sealed, because entries show the URLs of webhooks. Lists and retention use the other columns.
CREATE TABLE audit (
  seq       INTEGER PRIMARY KEY,
  id        TEXT    NOT NULL,
  at        INTEGER NOT NULL,
  actor_id  TEXT    NOT NULL,
  action    TEXT    NOT NULL,
  target_id TEXT,
  sealed    TEXT    NOT NULL
) STRICT;
CREATE INDEX audit_by_time ON audit (at);

CREATE TABLE idempotent_responses (
  key         TEXT    NOT NULL PRIMARY KEY,
  fingerprint TEXT    NOT NULL,
  sealed      TEXT    NOT NULL,
  expires_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotent_responses_expiring ON idempotent_responses (expires_at);

CREATE TABLE reserved_keys (
  key   TEXT    NOT NULL PRIMARY KEY,
  node  TEXT    NOT NULL,
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE statistics (
  span           TEXT    NOT NULL,
  start          INTEGER NOT NULL,
  source_id      TEXT    NOT NULL,
  destination_id TEXT    NOT NULL,
  counts         TEXT    NOT NULL,
  PRIMARY KEY (span, start, source_id, destination_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX statistics_of_source ON statistics (span, source_id, start, destination_id);
CREATE INDEX statistics_of_destination ON statistics (span, destination_id, start, source_id)
  WHERE destination_id <> '';

-- The document contains the selection and the rate. `search_text` is JSON and may contain user data, so purges
-- remove it from finished replays.
CREATE TABLE replays (
  id          TEXT    NOT NULL PRIMARY KEY,
  state       TEXT    NOT NULL,
  created_at  INTEGER NOT NULL,
  finished_at INTEGER,
  scanned     INTEGER NOT NULL DEFAULT 0,
  requeued    INTEGER NOT NULL DEFAULT 0,
  reached_at  INTEGER,
  cursor      TEXT,
  document    TEXT    NOT NULL,
  search_text TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX replays_open ON replays (id) WHERE finished_at IS NULL;

CREATE TABLE replay_ends (
  replay_id TEXT    NOT NULL,
  slot      INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  failed    INTEGER NOT NULL,
  PRIMARY KEY (replay_id, slot)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER replay_goes AFTER DELETE ON replays BEGIN
  DELETE FROM replay_ends WHERE replay_id = OLD.id;
END;
CREATE TRIGGER replayed_delivery_ends AFTER UPDATE OF state ON deliveries
  WHEN NEW.replay_id IS NOT NULL
    AND OLD.state IN ('pending', 'held') AND NEW.state NOT IN ('pending', 'held')
BEGIN
  INSERT INTO replay_ends
    SELECT id, 0, NEW.state = 'delivered', NEW.state NOT IN ('delivered', 'declined') FROM replays WHERE id = NEW.replay_id
    ON CONFLICT (replay_id, slot) DO UPDATE
      SET delivered = delivered + excluded.delivered, failed = failed + excluded.failed;
END;

CREATE TABLE deletions (
  id                      TEXT    NOT NULL PRIMARY KEY,
  step                    TEXT    NOT NULL,
  started_at              INTEGER,
  suppressed_at           INTEGER,
  purged_at               INTEGER,
  notified_at             INTEGER,
  purged_events           INTEGER NOT NULL DEFAULT 0,
  purged_deliveries       INTEGER NOT NULL DEFAULT 0,
  document                TEXT    NOT NULL,
  purge_through           INTEGER,
  purged_anonymous_events INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX deletions_open ON deletions (id) WHERE step <> 'done';

CREATE TABLE deletion_ids (
  deletion_id TEXT NOT NULL,
  kind        TEXT NOT NULL,
  id          TEXT NOT NULL,
  PRIMARY KEY (deletion_id, kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX deletion_ids_in_order ON deletion_ids (deletion_id, kind, substr(id, 1, 500), id);

-- Ids whose events up to a position are purged. An empty source means all sources. Threads read new
-- rows in order of number.
CREATE TABLE purged_ids (
  number      INTEGER PRIMARY KEY AUTOINCREMENT,
  kind        TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  source_id   TEXT    NOT NULL,
  through     INTEGER NOT NULL,
  deletion_id TEXT    NOT NULL,
  added_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX purged_ids_by_id ON purged_ids (id);
CREATE INDEX purged_ids_by_time ON purged_ids (added_at);

-- An empty source_id means all sources, including later ones. `kind`: as in notices.
CREATE TABLE suppressions (
  seq              INTEGER PRIMARY KEY,
  kind             TEXT    NOT NULL,
  user_id          TEXT    NOT NULL,
  source_id        TEXT    NOT NULL,
  since            INTEGER NOT NULL,
  deletion_id      TEXT    NOT NULL,
  dropped_calls   INTEGER NOT NULL DEFAULT 0,
  last_dropped_at INTEGER,
  UNIQUE (kind, user_id, source_id)
) STRICT;

-- Ended suppressions, kept for at least a day. Both tables are numbered from one sequence, so
-- threads read new rows in order.
CREATE TABLE ended_suppressions (
  seq      INTEGER PRIMARY KEY,
  kind     TEXT    NOT NULL,
  user_id  TEXT    NOT NULL,
  ended_at INTEGER NOT NULL
) STRICT;

-- `identities`: the last number. Never reused.
CREATE TABLE profiles_state (
  only_row   INTEGER PRIMARY KEY CHECK (only_row = 1),
  purges     INTEGER NOT NULL,
  identities INTEGER NOT NULL,
  max_links  INTEGER NOT NULL
) STRICT;
INSERT INTO profiles_state VALUES (1, 0, 0, 100);

-- `profile`: the identity that leads its profile. `is_seen`: named by an event or a list, not only as an alias's former id.
CREATE TABLE identities (
  id            INTEGER PRIMARY KEY,
  space         TEXT    NOT NULL,
  kind          TEXT    NOT NULL,
  name          TEXT    NOT NULL,
  profile       INTEGER NOT NULL,
  is_seen       INTEGER NOT NULL,
  first_seen_at INTEGER,
  last_seen_at  INTEGER,
  counts        TEXT    NOT NULL,
  placeholders  INTEGER NOT NULL,
  version       INTEGER NOT NULL,
  dirty_since   INTEGER,
  recheck_at    INTEGER
) STRICT;
CREATE UNIQUE INDEX identities_by_name ON identities (name, space, kind);
CREATE INDEX identities_by_profile ON identities (profile, space);
CREATE INDEX identities_leading ON identities (space, id) WHERE profile = id;
CREATE INDEX identities_dirty ON identities (dirty_since, id) WHERE dirty_since IS NOT NULL;
CREATE INDEX identities_recheck ON identities (recheck_at, id) WHERE recheck_at IS NOT NULL;

-- JSON by name: [value, at, received at, event, source, ms ahead]; the value of a removed trait is
-- null. In a separate table, because traits are long and rarely changed.
CREATE TABLE identity_traits (identity INTEGER PRIMARY KEY, traits TEXT NOT NULL) STRICT;

CREATE INDEX identities_by_beginning ON identities (space, substr(name, 1, 100), id) WHERE kind = 'user';

-- Traits that were searched for, and the identities by value. `filled_through`: the last indexed identity, or NULL for all.
CREATE TABLE trait_indexes (
  number         INTEGER PRIMARY KEY,
  name           TEXT    NOT NULL,
  filled_through INTEGER,
  used_at        INTEGER NOT NULL
) STRICT;
CREATE TABLE trait_values (
  trait    INTEGER NOT NULL,
  value    TEXT    NOT NULL,
  identity INTEGER NOT NULL,
  PRIMARY KEY (trait, value, identity)
) STRICT, WITHOUT ROWID;
CREATE INDEX trait_values_by_identity ON trait_values (identity, trait);

-- A user's earliest event with an anonymousId. `is_first`: no other user claims it earlier.
CREATE TABLE claims (
  anonymous   INTEGER NOT NULL,
  claimer     INTEGER NOT NULL,
  at          INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  message_id  TEXT    NOT NULL,
  event_id    TEXT    NOT NULL,
  source_id   TEXT    NOT NULL,
  is_first    INTEGER NOT NULL,
  PRIMARY KEY (anonymous, claimer)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX claims_first ON claims (anonymous) WHERE is_first;
CREATE INDEX claims_by_claimer ON claims (claimer, at);
CREATE INDEX claims_first_by_claimer ON claims (claimer, at, received_at) WHERE is_first;

CREATE TABLE aliases (
  identity    INTEGER NOT NULL,
  partner     INTEGER NOT NULL,
  at          INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  message_id  TEXT    NOT NULL,
  event_id    TEXT    NOT NULL,
  source_id   TEXT    NOT NULL,
  is_linked   INTEGER NOT NULL,
  PRIMARY KEY (identity, partner)
) STRICT, WITHOUT ROWID;
CREATE INDEX aliases_by_partner ON aliases (partner);
CREATE INDEX aliases_linked ON aliases (identity, partner) WHERE is_linked;
CREATE INDEX aliases_refused ON aliases (identity, partner) WHERE NOT is_linked;

CREATE TABLE spaces (name TEXT PRIMARY KEY, profiles INTEGER NOT NULL) STRICT, WITHOUT ROWID;

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
  identity INTEGER NOT NULL,
  clause   INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  position INTEGER NOT NULL,
  value    TEXT,
  PRIMARY KEY (identity, clause, at, position)
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

CREATE TABLE announced (
  user_id     TEXT    NOT NULL,
  computation INTEGER NOT NULL,
  value       TEXT    NOT NULL,
  number      INTEGER NOT NULL,
  at          INTEGER NOT NULL,
  PRIMARY KEY (user_id, computation)
) STRICT, WITHOUT ROWID;
CREATE INDEX announced_by_computation ON announced (computation, substr(user_id, 1, 500), user_id);

CREATE TABLE listed_users (
  computation INTEGER NOT NULL,
  user_id     TEXT    NOT NULL,
  PRIMARY KEY (computation, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX listed_users_by_user ON listed_users (user_id, computation);
CREATE INDEX listed_users_by_computation ON listed_users (computation, substr(user_id, 1, 500), user_id);

CREATE TABLE syncs (
  id          TEXT    NOT NULL PRIMARY KEY,
  computation TEXT    NOT NULL,
  is_open     INTEGER NOT NULL,
  document    TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX syncs_by_computation ON syncs (computation, id);
CREATE INDEX syncs_open ON syncs (id) WHERE is_open;

-- Names of events and of their properties, never values. `type`: empty for the sum of all names
-- beyond the limit of their source. `sole_user`: a hash of the only user who sent it, or empty.
-- `days`: JSON, pairs of a day and its count.
CREATE TABLE event_names (
  source_id       TEXT    NOT NULL,
  type            TEXT    NOT NULL,
  name            TEXT    NOT NULL,
  count           INTEGER NOT NULL,
  first_seen_at   INTEGER NOT NULL,
  last_seen_at    INTEGER NOT NULL,
  days            TEXT    NOT NULL,
  more_properties INTEGER NOT NULL,
  sole_user       TEXT    NOT NULL,
  PRIMARY KEY (source_id, type, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_names_of_user ON event_names (sole_user) WHERE sole_user <> '';

-- `types`: a bit for each JSON type.
CREATE TABLE event_properties (
  source_id    TEXT    NOT NULL,
  type         TEXT    NOT NULL,
  event        TEXT    NOT NULL,
  name         TEXT    NOT NULL,
  types        INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  sole_user    TEXT    NOT NULL,
  PRIMARY KEY (source_id, type, event, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_properties_of_user ON event_properties (sole_user) WHERE sole_user <> '';

CREATE TABLE alert_states (key TEXT NOT NULL PRIMARY KEY, document TEXT NOT NULL) STRICT, WITHOUT ROWID;
