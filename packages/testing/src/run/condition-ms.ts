/** How long a test waits for a condition: many times the need of a quiet machine, because a late condition is still met. */
export const CONDITION_MS = 60_000
