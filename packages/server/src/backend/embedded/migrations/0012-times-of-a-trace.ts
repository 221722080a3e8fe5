/**
 * When the last duplicate of an event arrived, since when the destination was disabled that did not get an event, and
 * which calls a suppression left out. `NULL` where that happened before this step, or not at all.
 */
export const timesOfATrace = `
  ALTER TABLE events ADD COLUMN last_duplicate_at INTEGER;
  ALTER TABLE declined ADD COLUMN since INTEGER;
  ALTER TABLE suppressions ADD COLUMN calls_left_out INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE suppressions ADD COLUMN last_left_out_at INTEGER;
`
