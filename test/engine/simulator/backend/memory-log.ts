import type { AcceptedEvent } from '@hookline/protocol'
import type { Log, LogEntry } from '../../../../packages/server/src/backend/log.ts'
import type { Committer } from './committer.ts'
import type { DurableState } from './durable-state.ts'
import type { BackendListener } from './backend-listener.ts'

interface Entry extends LogEntry {
  readonly seq: number
}

/**
 * The log in memory. Its acked position advances in the order of the entries, so some acked entries are redelivered after a
 * crash.
 */
export class MemoryLog implements Log {
  readonly #state: DurableState
  readonly #committer: Committer
  readonly #listener: BackendListener
  #queue: Entry[]
  #outstanding: Entry[] = []
  readonly #acked = new Set<Entry>()
  #wake: () => void = () => undefined

  constructor(state: DurableState, committer: Committer, listener: BackendListener) {
    this.#state = state
    this.#committer = committer
    this.#listener = listener
    this.#queue = [...state.log].map(([seq, events]) => ({ seq, events, redelivered: true }))
  }

  async append(events: readonly AcceptedEvent[]): Promise<void> {
    const seq = await this.#committer.run(() => {
      this.#state.log.set(this.#state.nextSeq, events)
      for (const { id } of events) this.#state.seqOf.set(id, this.#state.nextSeq)
      this.#listener.appended(events)
      return this.#state.nextSeq++
    })
    this.#queue.push({ seq, events, redelivered: false })
    this.#wake()
  }

  async *consume({ signal }: { readonly signal: AbortSignal }): AsyncIterable<readonly LogEntry[]> {
    signal.addEventListener('abort', () => this.#wake(), { once: true })
    while (!signal.aborted) {
      const entries = this.#queue
      this.#queue = []
      this.#outstanding.push(...entries)
      if (entries.length > 0) yield entries
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  async ack(entries: readonly LogEntry[]): Promise<void> {
    for (const entry of entries) this.#acked.add(entry as Entry)
    const left = this.#outstanding.findIndex((entry) => !this.#acked.has(entry))
    const done = this.#outstanding.slice(0, left === -1 ? undefined : left)
    if (done.length === 0) return
    await this.#committer.run(() => this.#moveTo(done.at(-1)!.seq))
    // Only now, because the commit may fail, and the next ack must then include the same entries.
    for (const entry of done) this.#acked.delete(entry)
    this.#outstanding = this.#outstanding.filter(({ seq }) => seq > done.at(-1)!.seq)
  }

  #moveTo(seq: number): void {
    const { log } = this.#state
    while (this.#state.acked < seq) {
      const events = log.get(++this.#state.acked)
      if (events === undefined) continue
      this.#listener.acked(events)
      log.delete(this.#state.acked)
    }
  }
}
