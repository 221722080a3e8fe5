/**
 * Deliveries and their failed attempts; the parts that wait, lane by lane, and who has claimed them. `webhooks` and `document` name
 * lanes in place of URLs, which may contain credentials: those are sealed in `lanes`, where `key` is a keyed hash of them.
 */
export const deliveries = `
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
    document    text    NOT NULL,
    has_body    boolean NOT NULL,
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
  CREATE TABLE waiting_parts (
    queue       txt    NOT NULL,
    lane        int    NOT NULL,
    delivery_id txt    NOT NULL,
    due_at      bigint,
    claimed_by  txt,
    fence       bigint NOT NULL,
    PRIMARY KEY (delivery_id, lane)
  ) WITH (fillfactor = 80);
  CREATE INDEX waiting_parts_due ON waiting_parts (lane, due_at, delivery_id);
  CREATE SEQUENCE fences;

  -- A row is the lease of all claims of a node: one small change renews them all.
  CREATE TABLE claiming_nodes (id txt PRIMARY KEY, until timestamptz NOT NULL);

  CREATE TABLE quarantine (id txt PRIMARY KEY, reason text NOT NULL, at bigint NOT NULL);

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
`
