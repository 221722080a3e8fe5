/**
 * The column `body` of an event is the body of its webhook requests, byte for byte, and `rest` has what the event has beside
 * it. Events of earlier versions have no `rest`: up to `old_through`, a worker brings them into this form.
 */
export const bodiesOfWebhooks = `
  ALTER TABLE events ADD COLUMN rest TEXT;
  ALTER TABLE log_position ADD COLUMN old_through INTEGER NOT NULL DEFAULT 0;
  UPDATE log_position SET old_through = IFNULL((SELECT MAX(seq) FROM events), 0);
`
