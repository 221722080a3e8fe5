/**
 * The tables without days that content of users is removed from, and that are then written anew (`erasure/erase.ts`). The others of
 * a purge, `declined`, `deliveries` and `waiting_parts`, have only ids that Hookline has made.
 */
export const REWRITTEN_TABLES = [
  'events_default',
  'attempts_default',
  'quarantine',
  'outbox',
  'replays',
  'announced',
  'listed_users',
  'identity_traits',
  'trait_values',
  'claims',
  'aliases',
  'facts',
  'results',
  'identities',
] as const
