/** Begins the id of a message that comes from the table `outbox`. */
export const OUTBOX_ID = 'outbox.'
