import type { AttemptTiming } from '@hookline/protocol'
import { AsyncLocalStorage } from 'node:async_hooks'

/** What an attempt may be at: first opening a socket, if it needs one, then waiting for the answer. */
type Phase = 'lookup' | 'connect' | 'tls' | 'answer'

/** undici opens a socket on its own for the request that needs one: this says for which attempt it does. */
const current = new AsyncLocalStorage<AttemptTimer>()

/** Tells where the time of one attempt went. An attempt is in one phase at a time, from `answer` on. */
export class AttemptTimer {
  readonly #start = performance.now()
  readonly #ms: Partial<Record<Phase, number>> = {}
  #phase: Phase = 'answer'
  #since = this.#start
  #reached: Phase = 'answer'

  /** The timer of the attempt for which a socket is opened here. */
  static get current(): AttemptTimer | undefined {
    return current.getStore()
  }

  /** Runs what the attempt does. */
  run<T>(work: () => T): T {
    return current.run(this, work)
  }

  enter(phase: Phase): void {
    const now = performance.now()
    this.#ms[this.#phase] = (this.#ms[this.#phase] ?? 0) + now - this.#since
    this.#phase = phase
    this.#since = now
  }

  /** The attempt is over, or nothing of it counts any more. */
  stop(): void {
    this.#reached = this.#phase
    this.enter('answer')
  }

  /** How long it all took until it was stopped, and its parts where a socket was opened. */
  get took(): { readonly durationMs: number; readonly timing?: AttemptTiming } {
    const reached = this.#reached
    const durationMs = rounded(this.#since - this.#start)
    const { lookup, connect, tls, answer } = this.#ms
    if (lookup === undefined && connect === undefined) return { durationMs }
    const timing = {
      ...(lookup !== undefined && { lookupMs: rounded(lookup) }),
      ...(connect !== undefined && { connectMs: rounded(connect) }),
      ...(tls !== undefined && { tlsMs: rounded(tls) }),
      ...(reached === 'answer' && { answerMs: rounded(answer ?? 0) }),
    }
    return { durationMs, timing }
  }
}

/** To a tenth of a millisecond: finer than any receiver is even. */
function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}
