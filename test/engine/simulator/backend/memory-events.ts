import type { AcceptedEvent } from '@hookline/protocol'
import type {
  Archiving,
  ArchivedEvent,
  Events,
} from '../../../../packages/server/src/backend/events.ts'
import type { Page } from '../../../../packages/server/src/backend/page.ts'
import type { Committer } from './committer.ts'
import type { DurableState } from './durable-state.ts'
import type { Witness } from '../rules/witness.ts'

const DEDUPE_WINDOW_MS = 24 * 60 * 60 * 1000

/** The archive in memory, with what the engine asks of it. */
export class MemoryEvents implements Events {
  readonly #state: DurableState
  readonly #committer: Committer
  readonly #witness: Witness

  constructor(state: DurableState, committer: Committer, witness: Witness) {
    this.#state = state
    this.#committer = committer
    this.#witness = witness
  }

  archive(entries: readonly Archiving[]): Promise<ReadonlySet<string>> {
    return this.#committer.run(
      () => new Set(entries.filter((entry) => !this.#keep(entry)).map(({ event }) => event.id)),
    )
  }

  find(id: string): Promise<ArchivedEvent | undefined> {
    return this.#committer.read(() => this.#state.events.get(id))
  }

  async list(): Promise<Page<ArchivedEvent>> {
    throw new Error('The engine lists no events.')
  }

  /** Whether the event is kept: it is no duplicate. */
  #keep({ event, declined }: Archiving): boolean {
    const { events, firstByMessage } = this.#state
    // Log and archive are one: what a purge has removed is not there to be kept.
    if (this.#state.isPurged(event)) return true
    const before = events.get(event.id)
    if (before !== undefined) {
      const known = new Set(before.declined.map(({ destinationId }) => destinationId))
      const more = declined.filter(({ destinationId }) => !known.has(destinationId))
      events.set(event.id, { ...before, declined: [...before.declined, ...more] })
      this.#witness.archived(event, 'again', more)
      return true
    }
    const key = `${event.sourceId} ${event.event.messageId}`
    const first = events.get(firstByMessage.get(key) ?? '')
    if (first !== undefined && receivedAt(event) - receivedAt(first) <= DEDUPE_WINDOW_MS) {
      this.#witness.archived(event, 'duplicate', [])
      return false
    }
    events.set(event.id, { ...event, declined, duplicates: 0 })
    firstByMessage.set(key, event.id)
    this.#witness.archived(event, 'first', declined)
    return true
  }
}

function receivedAt({ event }: AcceptedEvent): number {
  return Date.parse(event.receivedAt)
}
