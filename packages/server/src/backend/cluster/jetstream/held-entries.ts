import type { Msg } from '@nats-io/transport-node'
import { EventAmount, type MaxAmount } from '../../event-amount.ts'
import type { LogEntry } from '../../log.ts'
import { HeldEntry, keyOf } from './held-entry.ts'

/** Entries beyond which no more are asked for. */
const MAX_HELD: MaxAmount = { events: 65_536, bytes: 64 * 1024 * 1024 }
/** Events that are handed out at once, about. */
const HANDED_EVENTS = 8192

/** The entries that this node has pulled and that are not acked. Those that are ready wait for the consumer. */
export class HeldEntries {
  readonly #streamName: string
  readonly #byKey = new Map<string, HeldEntry>()
  readonly #keys = new WeakMap<LogEntry, string>()
  readonly #waiting = new Set<() => void>()
  #ready: HeldEntry[] = []
  readonly #amount = new EventAmount()

  constructor(streamName: string) {
    this.#streamName = streamName
  }

  /**
   * Takes what the server has handed out. An entry that is here already is in process: only the subject for its ack is
   * another one.
   */
  receive(message: Msg): HeldEntry {
    const key = keyOf(message)
    const held = this.#byKey.get(key)
    if (held !== undefined) {
      held.deliveredAgain(message)
      return held
    }
    const entry = new HeldEntry(message, this.#streamName)
    this.#byKey.set(key, entry)
    this.#keys.set(entry, key)
    this.#amount.add(entry.events)
    this.#ready.push(entry)
    this.#wake()
    return entry
  }

  /** Entries for the consumer, those of one partition in their order. */
  takeReady(): readonly HeldEntry[] {
    let events = 0
    let count = 0
    while (count < this.#ready.length && events < HANDED_EVENTS)
      events += this.#ready[count++]!.events.length
    return this.#ready.splice(0, count).toSorted((a, b) => a.sequence - b.sequence)
  }

  /** What the consumer was handed, and has not acked. */
  handedOut(): readonly HeldEntry[] {
    const ready = new Set(this.#ready)
    return this.all().filter((entry) => !entry.isDone && !ready.has(entry))
  }

  all(): readonly HeldEntry[] {
    return [...this.#byKey.values()]
  }

  /** The entry as it is held; `undefined` where it is not, or no longer. */
  find(entry: LogEntry): HeldEntry | undefined {
    const key = this.#keys.get(entry)
    return key === undefined ? undefined : this.#byKey.get(key)
  }

  drop(entry: HeldEntry): void {
    if (!this.#byKey.delete(this.#keys.get(entry)!)) return
    this.#amount.remove(entry.events)
    this.#wake()
  }

  /** Gives back what waits for the consumer and what it has not begun, for any node. */
  release(isBegun: (entry: LogEntry) => boolean): void {
    const idle = this.handedOut().filter((entry) => !isBegun(entry))
    for (const entry of [...this.#ready.splice(0), ...idle]) {
      entry.release()
      this.drop(entry)
    }
  }

  /** Resolves when an entry is ready, or `signal` aborts. */
  ready(signal: AbortSignal): Promise<void> {
    return this.#until(() => this.#ready.length > 0, signal)
  }

  /** Resolves when there is room for more, or `signal` aborts. */
  room(signal: AbortSignal): Promise<void> {
    return this.#until(() => !this.#amount.isOver(MAX_HELD), signal)
  }

  async #until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    while (!condition() && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const wake = (): void => resolve()
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake, { once: true })
      await promise
      signal.removeEventListener('abort', wake)
      this.#waiting.delete(wake)
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
  }
}
