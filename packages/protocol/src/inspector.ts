/** The host in webhook URLs of the inspector, the receiver inside the service. It is not in DNS. */
export const INSPECTOR_HOST = 'inspector.internal'

/** The webhook URL of the inspector. Any path and query may follow. */
export const INSPECTOR_URL = `http://${INSPECTOR_HOST}/`

export const INSPECTOR_LIMITS = {
  /**
   * The maximum delay of its responses. Longer than an attempt's default timeout, so that an attempt can be made to time out.
   */
  delayMs: 10_000,
  /** The maximum number of attempts of a delivery that can be set to fail. The default retry schedule has far fewer. */
  failFirst: 1_000,
} as const
