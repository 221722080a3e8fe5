import type { AttemptTiming } from '@hookline/protocol'

type Phase = 'lookup' | 'connect' | 'tls' | 'response'

/** Shorter transfers are not recorded: most responses have no body. */
const MIN_TRANSFER_MS = 1

/** The attempt being dispatched. undici calls the connector synchronously, without the request. */
let current: AttemptTimer | undefined

/** Measures the phases of one attempt, which begins in the phase `response`. */
export class AttemptTimer {
  readonly #start = performance.now()
  readonly #ms: Partial<Record<Phase, number>> = {}
  #phase: Phase = 'response'
  #since = this.#start
  #reached: Phase = 'response'
  #transferMs = 0
  /** The timeout of the attempt; `undefined` for the default. */
  readonly timeoutMs: number | undefined

  constructor(timeoutMs?: number) {
    this.timeoutMs = timeoutMs
  }

  static get current(): AttemptTimer | undefined {
    return current
  }

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

  /** Ends the measured duration. Call it when the attempt is over, or its last response header has arrived. */
  stop(): void {
    this.#reached = this.#phase
    this.enter('response')
  }

  endTransfer(): void {
    this.#transferMs = performance.now() - this.#since
  }

  /** The duration until `stop`, with phases if a socket was opened or the transfer was slow. */
  get result(): { readonly durationMs: number; readonly timing?: AttemptTiming } {
    const reached = this.#reached
    const durationMs = roundMs(this.#since - this.#start)
    const { lookup, connect, tls, response } = this.#ms
    const isTransferLong = this.#transferMs >= MIN_TRANSFER_MS
    if (lookup === undefined && connect === undefined && !isTransferLong) return { durationMs }
    const timing = {
      ...(lookup !== undefined && { lookupMs: roundMs(lookup) }),
      ...(connect !== undefined && { connectMs: roundMs(connect) }),
      ...(tls !== undefined && { tlsMs: roundMs(tls) }),
      ...(reached === 'response' && { responseMs: roundMs(response ?? 0) }),
      ...(isTransferLong && { transferMs: roundMs(this.#transferMs) }),
    }
    return { durationMs, timing }
  }
}

/** Rounded to a tenth of a millisecond, because receivers vary by more. */
function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10
}
