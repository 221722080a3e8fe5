/**
 * Quarantine, replays, and counts of waiting deliveries. Triggers keep the counts, so that no scrape of the metrics
 * counts rows. A delivery that ends in its first round changes no count.
 */
export const waitingReplaysQuarantine = `
  ALTER TABLE deliveries ADD COLUMN replay_id TEXT;
  CREATE INDEX deliveries_held ON deliveries (destination_id) WHERE state = 'held';
  CREATE INDEX deliveries_oldest ON deliveries (first_due_at) WHERE state = 'pending';

  CREATE TABLE quarantine (
    id     TEXT    NOT NULL PRIMARY KEY,
    reason TEXT    NOT NULL,
    at     INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- The selection and the rate are in the document; what changes has columns.
  CREATE TABLE replays (
    id          TEXT    NOT NULL PRIMARY KEY,
    state       TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    finished_at INTEGER,
    scanned     INTEGER NOT NULL,
    requeued    INTEGER NOT NULL,
    reached_at  INTEGER,
    cursor      TEXT,
    document    TEXT    NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX replays_open ON replays (id) WHERE finished_at IS NULL;

  CREATE TABLE waiting (
    destination_id TEXT    NOT NULL,
    state          TEXT    NOT NULL,
    count          INTEGER NOT NULL,
    PRIMARY KEY (destination_id, state)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO waiting SELECT destination_id, state, COUNT(*) FROM deliveries
    WHERE state IN ('pending', 'held') GROUP BY destination_id, state;

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
`
