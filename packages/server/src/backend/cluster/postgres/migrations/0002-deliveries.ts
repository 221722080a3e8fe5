/**
 * Deliveries and their failed attempts; the parts that wait, lane by lane, with their leases. `webhooks` and `document` name
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
    delivery_id txt  NOT NULL,
    id          txt  NOT NULL,
    document    text NOT NULL,
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

  -- due_at NULL: held. Lane 0: deliveries that have no parts yet.
  CREATE TABLE waiting_parts (
    queue         txt    NOT NULL,
    lane          int    NOT NULL,
    delivery_id   txt    NOT NULL,
    due_at        bigint,
    claimed_by    txt,
    claimed_until timestamptz,
    fence         bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (queue, delivery_id, lane)
  );
  CREATE INDEX waiting_parts_due ON waiting_parts (queue, lane, due_at, delivery_id);
  CREATE INDEX waiting_parts_claimed ON waiting_parts (claimed_by) WHERE claimed_by IS NOT NULL;

  CREATE TABLE quarantine (id txt PRIMARY KEY, reason text NOT NULL, at bigint NOT NULL);
`
