/** The time limit for conditions in tests, far longer than an idle machine needs, because being slow is not a failure. */
export const CONDITION_MS = 60_000
