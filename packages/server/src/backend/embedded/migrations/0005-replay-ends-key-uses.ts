/** How the deliveries of a replay ended, counted where they end, and when write keys were last used. */
export const replayEndsKeyUses = `
  ALTER TABLE replays ADD COLUMN delivered INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE replays ADD COLUMN failed    INTEGER NOT NULL DEFAULT 0;
  UPDATE replays SET delivered = ended.delivered, failed = ended.failed
    FROM (SELECT replay_id, SUM(state = 'delivered') AS delivered, SUM(state <> 'delivered') AS failed
          FROM deliveries WHERE replay_id IS NOT NULL AND state NOT IN ('pending', 'held')
          GROUP BY replay_id) AS ended
    WHERE replays.id = ended.replay_id;

  CREATE TRIGGER replayed_delivery_ends AFTER UPDATE OF state ON deliveries
    WHEN NEW.replay_id IS NOT NULL
      AND OLD.state IN ('pending', 'held') AND NEW.state NOT IN ('pending', 'held')
  BEGIN
    UPDATE replays SET delivered = delivered + (NEW.state = 'delivered'),
      failed = failed + (NEW.state <> 'delivered') WHERE id = NEW.replay_id;
  END;

  CREATE TABLE key_uses (
    key          TEXT    NOT NULL PRIMARY KEY,
    last_used_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`
