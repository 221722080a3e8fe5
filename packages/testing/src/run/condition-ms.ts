/** How long a test waits for a condition: many times what a quiet machine takes. One that comes late is met all the same. */
export const CONDITION_MS = 60_000
