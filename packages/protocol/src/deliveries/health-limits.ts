/** Thresholds at which `hookline doctor` and the console report a destination as unhealthy. */
export const HEALTH_LIMITS = {
  /** The longest acceptable wait of a delivery. */
  maxWaitMs: 10 * 60_000,
  /** Below this number of attempts in an hour, the success rate is not significant. */
  minAttempts: 10,
  /** The lowest acceptable success rate of the attempts in an hour. */
  minSuccessRate: 0.5,
} as const
