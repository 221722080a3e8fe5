/**
 * Counts events, reasons not to deliver (decisions) and deliveries that are missing: kept once, and removed by neither retention nor a purge. A trigger counts
 * every row that goes, whatever removed it; what removes rows on purpose takes them off again in the same transaction.
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
