/**
 * A purge ends at a position in the log, not at a time: `purge_through` is the seq of the last event that it may remove.
 * For a purge that had begun, it is the last event there is where new ones are suppressed. Elsewhere it is the last event
 * that was received before the deletion began.
 */
export const purgesByPosition = `
  ALTER TABLE deletions ADD COLUMN purge_through INTEGER;
  UPDATE deletions SET purge_through = COALESCE(
    (SELECT seq FROM events WHERE suppressed_at IS NOT NULL OR received_at <= started_at
     ORDER BY seq DESC LIMIT 1), 0)
  WHERE step = 'purge' AND started_at IS NOT NULL;
`
