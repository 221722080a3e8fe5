/**
 * The database refuses what is written of an event that is gone, so that a record behind a purge brings nothing back. The
 * INSERT then has no effect, and is no error. Triggers, because no statement can forget them, and because they cost less
 * than a condition in the statement.
 */
export const recordsNeedAnEvent = `
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
`
