import type { AcceptedEvent } from '@hookline/protocol'
import type { EventToArchive } from '../../events.ts'

/** The archive's data about an event. */
export interface KnownEvent {
  readonly isArchived: boolean
  /** Whether it is a duplicate that was counted. */
  readonly isCounted: boolean
  /** The first event with the same source and messageId within the window. */
  readonly original: string | null
}

interface DuplicateCount {
  readonly duplicates: number
  readonly lastDuplicateAt: number | null
}

export interface ArchiveDecisions {
  /** New events, with their duplicates in the same call. */
  readonly newEvents: readonly ({ readonly event: AcceptedEvent } & DuplicateCount)[]
  /** Archived events with new duplicates. */
  readonly counted: readonly ({ readonly id: string } & DuplicateCount)[]
  /** The ids of duplicates that are counted now. */
  readonly countedIds: readonly string[]
  readonly duplicates: ReadonlySet<string>
  /** Events whose declined destinations are stored. */
  readonly decided: readonly EventToArchive[]
}

interface DecideOptions {
  readonly known: readonly KnownEvent[]
  readonly isPurged: (event: AcceptedEvent) => boolean
  readonly dedupeWindowMs: number
}

/** Decides which events are new, and which are duplicates of which. Purged events are neither. */
export function decideArchive(
  entries: readonly EventToArchive[],
  { known, isPurged, dedupeWindowMs }: DecideOptions,
): ArchiveDecisions {
  const newEvents = new NewEvents(dedupeWindowMs)
  const counts = new Map<string, DuplicateCount>()
  const countedIds: string[] = []
  const duplicates = new Set<string>()
  const decided: EventToArchive[] = []
  for (const [index, entry] of entries.entries()) {
    const { event } = entry
    const { isArchived, isCounted, original } = known[index]!
    const first = original ?? newEvents.originalOf(event)
    const hasOriginal = first !== undefined && first !== event.id
    if (!isArchived && (isCounted || hasOriginal)) {
      if (!isCounted && !duplicates.has(event.id) && !isPurged(event)) {
        countedIds.push(event.id)
        addDuplicate(counts, first!, event)
      }
      duplicates.add(event.id)
    } else if (!isPurged(event)) {
      if (!isArchived) newEvents.add(event)
      decided.push(entry)
    }
  }
  return { ...splitCounts(newEvents.all, counts), countedIds, duplicates, decided }
}

function addDuplicate(
  counts: Map<string, DuplicateCount>,
  originalId: string,
  { receivedAt }: AcceptedEvent,
): void {
  const before = counts.get(originalId)?.duplicates ?? 0
  counts.set(originalId, { duplicates: before + 1, lastDuplicateAt: receivedAt })
}

function splitCounts(events: readonly AcceptedEvent[], counts: Map<string, DuplicateCount>) {
  const none = { duplicates: 0, lastDuplicateAt: null }
  const newEvents = events.map((event) => ({ event, ...(counts.get(event.id) ?? none) }))
  for (const { id } of events) counts.delete(id)
  return { newEvents, counted: [...counts].map(([id, count]) => ({ id, ...count })) }
}

class NewEvents {
  readonly all: AcceptedEvent[] = []
  readonly #byMessage = new Map<string, AcceptedEvent[]>()
  readonly #dedupeWindowMs: number

  constructor(dedupeWindowMs: number) {
    this.#dedupeWindowMs = dedupeWindowMs
  }

  add(event: AcceptedEvent): void {
    if (this.originalOf(event) === event.id) return
    this.all.push(event)
    const key = keyOf(event)
    this.#byMessage.set(key, [...(this.#byMessage.get(key) ?? []), event])
  }

  /** The id of the first new event with the same source and messageId. */
  originalOf(event: AcceptedEvent): string | undefined {
    const since = event.receivedAt - this.#dedupeWindowMs
    return this.#byMessage.get(keyOf(event))?.find(({ receivedAt }) => receivedAt >= since)?.id
  }
}

function keyOf({ sourceId, messageId }: AcceptedEvent): string {
  return JSON.stringify([sourceId, messageId])
}
