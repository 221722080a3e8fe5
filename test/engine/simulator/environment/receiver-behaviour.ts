/** How a simulated receiver responds to a request. */
export type ResponseMode =
  /** 200. */
  | 'healthy'
  /** 200 or 500, with equal probability. */
  | 'flaky'
  /** 500. */
  | 'failing'
  /** 429 with Retry-After. */
  | 'throttling'
  /** No response until the deadline. */
  | 'hanging'
  /** The connection is refused. */
  | 'refusing'
  /** 404. */
  | 'rejecting'
  /** 410. After a while, its webhook is paused. */
  | 'gone'

interface Phase {
  /** When the phase starts, in milliseconds since the start of the simulation. */
  readonly fromMs: number
  readonly mode: ResponseMode
}

/** The behaviour of one webhook's receiver over time. It is healthy before the first phase. */
export interface ReceiverBehaviour {
  readonly phases: readonly Phase[]
  readonly latencyMs: { readonly min: number; readonly max: number }
  readonly retryAfterMs: number
}

/** The mode of the receiver at a time, in milliseconds since the start of the simulation. */
export function modeAt({ phases }: ReceiverBehaviour, atMs: number): ResponseMode {
  return phases.findLast(({ fromMs }) => fromMs <= atMs)?.mode ?? 'healthy'
}
