/** The host of webhook URLs that stand for the inspector, the receiver that the service has inside. No name server knows it. */
export const INSPECTOR_HOST = 'inspector.internal'

/** The webhook URL of the inspector. Any path and query may follow. */
export const INSPECTOR_URL = `http://${INSPECTOR_HOST}/`

export const INSPECTOR_LIMITS = {
  /** The longest delay of its responses. It is longer than the deadline of an attempt, so that a timeout can be seen, too. */
  delayMs: 10_000,
  /** The most attempts of a delivery that may be set to fail. No retry schedule has more. */
  failFirst: 1_000,
} as const
