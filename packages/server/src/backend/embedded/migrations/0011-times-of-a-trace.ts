/** When the last duplicate of an event arrived; `NULL` where it arrived before this step, or there is none. */
export const timesOfATrace = `
  ALTER TABLE events ADD COLUMN last_duplicate_at INTEGER;
`
