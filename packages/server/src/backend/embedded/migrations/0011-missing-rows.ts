/**
 * Counts the rows that are missing: events, deliveries, and decisions not to deliver (`declined`). A trigger counts each row
 * that is deleted. Retention and purges, which delete on purpose, subtract their rows in the same transaction. So the counts
 * are 0, unless something else has deleted a row.
 */
export const missingRows = `
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
`
