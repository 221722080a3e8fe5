import type { Transferable } from 'node:worker_threads'
import type { ChannelPort } from '../../../../packages/server/src/threads/channel.ts'
import type { ProcessClock } from './process-clock.ts'

/**
 * One side of a pair of ports between main and a simulated thread. Messages are cloned, as between Node's threads, and arrive
 * in order, by the clock of the other side. A killed thread neither receives nor posts messages.
 */
export class SimulatedPort implements ChannelPort {
  readonly #clock: ProcessClock
  readonly #latencyMs: number
  readonly #listeners = new Map<string, (message: unknown) => void>()
  readonly #other: () => SimulatedPort
  #isClosed = false

  private constructor(clock: ProcessClock, latencyMs: number, other: () => SimulatedPort) {
    this.#clock = clock
    this.#latencyMs = latencyMs
    this.#other = other
  }

  /** @param clocks the clocks of the two sides */
  static pair(
    [one, other]: readonly [ProcessClock, ProcessClock],
    latencyMs: number,
  ): readonly [SimulatedPort, SimulatedPort] {
    const first: SimulatedPort = new SimulatedPort(one, latencyMs, () => second)
    const second: SimulatedPort = new SimulatedPort(other, latencyMs, () => first)
    return [first, second]
  }

  on(event: 'message' | 'messageerror' | 'close', listener: (message: unknown) => void): void {
    this.#listeners.set(event, listener)
  }

  postMessage(message: unknown, transfer: readonly Transferable[] = []): void {
    if (this.#isClosed || !this.#clock.isAlive) return
    const copy: unknown = structuredClone(message, { transfer: [...transfer] })
    const other = this.#other()
    other.#after(() => other.#emit('message', copy))
  }

  /** Closes both sides, the other one after it has received all messages. */
  close(): void {
    if (this.#isClosed) return
    this.#end()
    const other = this.#other()
    other.#after(() => other.#end())
  }

  /** Ignored, because simulated threads run until they are ended. */
  ref(): void {}

  unref(): void {}

  #after(task: () => void): void {
    this.#clock.after(this.#latencyMs, task)
  }

  #emit(event: 'message' | 'close', message?: unknown): void {
    if (!this.#isClosed || event === 'close') this.#listeners.get(event)?.(message)
  }

  #end(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#clock.after(0, () => this.#emit('close'))
  }
}
