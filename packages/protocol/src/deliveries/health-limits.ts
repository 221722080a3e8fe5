/** From when on `hookline doctor` and the console call a destination unwell. */
export const HEALTH_LIMITS = {
  /** A delivery that has waited for longer is a problem. */
  longestWaitMs: 10 * 60_000,
  /** With fewer attempts in an hour, the share of those that were accepted tells little. */
  leastAttempts: 10,
  /** Of the attempts of an hour, the least share that should be accepted. */
  leastShare: 0.5,
} as const
