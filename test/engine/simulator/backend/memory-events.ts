import type { AcceptedEvent } from '@hookline/protocol'
import { withParsedFields } from '../../../../packages/server/src/backend/accepted-event.ts'
import type {
  EventToArchive,
  ArchivedEvent,
  Events,
  ListedEvent,
} from '../../../../packages/server/src/backend/events.ts'
import { deliveryId } from '../../../../packages/server/src/delivery/sending/webhook-request.ts'
import type { Page } from '../../../../packages/server/src/backend/page.ts'
import type { Committer } from './committer.ts'
import type { DurableState } from './durable-state.ts'
import type { BackendListener } from './backend-listener.ts'

const DEDUPE_WINDOW_MS = 24 * 60 * 60 * 1000

/** The parts of the archive that the engine uses, in memory. */
export class MemoryEvents implements Events {
  readonly #state: DurableState
  readonly #committer: Committer
  readonly #listener: BackendListener

  constructor(state: DurableState, committer: Committer, listener: BackendListener) {
    this.#state = state
    this.#committer = committer
    this.#listener = listener
  }

  archive(entries: readonly EventToArchive[]): Promise<ReadonlySet<string>> {
    return this.#committer.run(
      () => new Set(entries.filter((entry) => !this.#keep(entry)).map(({ event }) => event.id)),
    )
  }

  decidedDestinations(
    eventIds: readonly string[],
  ): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    return this.#committer.read(
      () => new Map(eventIds.map((id) => [id, this.#decided(id)] as const).filter(hasAny)),
    )
  }

  find(id: string): Promise<ArchivedEvent | undefined> {
    return this.#committer.read(() => this.#state.events.get(id))
  }

  async findAll(): Promise<ReadonlyMap<string, ArchivedEvent>> {
    throw new Error('The engine does not use findAll.')
  }

  async list(): Promise<Page<ListedEvent>> {
    throw new Error('The engine does not use list.')
  }

  #decided(eventId: string): ReadonlySet<string> {
    const declined = this.#state.events.get(eventId)?.declined ?? []
    const delivered = [...this.#state.destinationIds].filter((destinationId) =>
      this.#state.deliveries.has(deliveryId(eventId, destinationId)),
    )
    return new Set([...declined.map(({ destinationId }) => destinationId), ...delivered])
  }

  /** Archives an event. Returns whether it is stored, which means that it is not a duplicate. */
  #keep({ event, declined }: EventToArchive): boolean {
    const { events, firstByMessage } = this.#state
    // The log and the archive are one table, so a purged event is in neither.
    if (this.#state.isPurged(event)) return true
    const before = events.get(event.id)
    if (before !== undefined) {
      const known = new Set(before.declined.map(({ destinationId }) => destinationId))
      const more = declined.filter(({ destinationId }) => !known.has(destinationId))
      events.set(event.id, { ...before, declined: [...before.declined, ...more] })
      this.#listener.archived(event, 'again', more)
      return true
    }
    const key = `${event.sourceId} ${event.event.messageId}`
    const first = events.get(firstByMessage.get(key) ?? '')
    if (first !== undefined && receivedAt(event) - receivedAt(first) <= DEDUPE_WINDOW_MS) {
      this.#listener.archived(event, 'duplicate', [])
      return false
    }
    events.set(event.id, {
      ...withParsedFields(event),
      declined,
      duplicates: 0,
      lastDuplicateAt: null,
    })
    firstByMessage.set(key, event.id)
    this.#listener.archived(event, 'first', declined)
    return true
  }
}

function hasAny([, decided]: readonly [string, ReadonlySet<string>]): boolean {
  return decided.size > 0
}

function receivedAt({ event }: AcceptedEvent): number {
  return Date.parse(event.receivedAt)
}
