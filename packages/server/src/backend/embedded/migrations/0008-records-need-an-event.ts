/**
 * The database ignores a record of an event that is gone: an INSERT that comes after a purge brings nothing back, and is
 * no error. These are triggers because no statement can forget them, and because they cost less than a condition in each
 * statement.
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
