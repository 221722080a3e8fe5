import type { AttemptTiming } from '@hookline/protocol'

/** The phases of an attempt: opening a socket, if it needs one, then waiting for the response. */
type Phase = 'lookup' | 'connect' | 'tls' | 'response'

/** A shorter transfer is not recorded: most responses have no body, and their records stay small. */
const SHORTEST_TRANSFER_MS = 1

/**
 * The attempt whose request undici is given right now. undici opens a socket for it at once, where it needs one, and calls
 * the connector without saying for which request.
 */
let current: AttemptTimer | undefined

/** Measures how long each phase of one attempt takes. An attempt begins in the phase `response`. */
export class AttemptTimer {
  readonly #start = performance.now()
  readonly #ms: Partial<Record<Phase, number>> = {}
  #phase: Phase = 'response'
  #since = this.#start
  #reached: Phase = 'response'
  #transferMs = 0

  /** The timer of the attempt for which a socket is being opened: for the connector, as soon as it is called. */
  static get current(): AttemptTimer | undefined {
    return current
  }

  /** Calls `dispatch`, which gives undici the request of the attempt that `timer` measures. */
  static run(timer: AttemptTimer, dispatch: () => void): void {
    current = timer
    try {
      dispatch()
    } finally {
      current = undefined
    }
  }

  enter(phase: Phase): void {
    const now = performance.now()
    this.#ms[this.#phase] = (this.#ms[this.#phase] ?? 0) + now - this.#since
    this.#phase = phase
    this.#since = now
  }

  /** Ends the measurement: the attempt is over, or its last response header has come. */
  stop(): void {
    this.#reached = this.#phase
    this.enter('response')
  }

  /** After `stop`: the body of the response was read as far as it is read. */
  endTransfer(): void {
    this.#transferMs = performance.now() - this.#since
  }

  /** How long the attempt took until `stop`, and its phases when a socket was opened or the transfer took long. */
  get took(): { readonly durationMs: number; readonly timing?: AttemptTiming } {
    const reached = this.#reached
    const durationMs = rounded(this.#since - this.#start)
    const { lookup, connect, tls, response } = this.#ms
    const isTransferLong = this.#transferMs >= SHORTEST_TRANSFER_MS
    if (lookup === undefined && connect === undefined && !isTransferLong) return { durationMs }
    const timing = {
      ...(lookup !== undefined && { lookupMs: rounded(lookup) }),
      ...(connect !== undefined && { connectMs: rounded(connect) }),
      ...(tls !== undefined && { tlsMs: rounded(tls) }),
      ...(reached === 'response' && { answerMs: rounded(response ?? 0) }),
      ...(isTransferLong && { transferMs: rounded(this.#transferMs) }),
    }
    return { durationMs, timing }
  }
}

/** To a tenth of a millisecond. Receivers vary by more than that. */
function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}
