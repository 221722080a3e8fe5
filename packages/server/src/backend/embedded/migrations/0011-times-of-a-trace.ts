/**
 * When the last duplicate of an event arrived, and since when the destination was disabled that did not get an event.
 * `NULL` where that happened before this step, or not at all.
 */
export const timesOfATrace = `
  ALTER TABLE events ADD COLUMN last_duplicate_at INTEGER;
  ALTER TABLE declined ADD COLUMN since INTEGER;
`
