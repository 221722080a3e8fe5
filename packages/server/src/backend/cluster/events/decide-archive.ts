import type { AcceptedEvent } from '@hookline/protocol'
import type { Archiving } from '../../events.ts'

/** What the archive knows of an event that is to be archived. */
export interface KnownEvent {
  readonly isArchived: boolean
  /** It is a duplicate that its first event has counted. */
  readonly isCounted: boolean
  /** The first event with its source and messageId within the window. */
  readonly original: string | null
}

/** An event that the archive does not have yet, and the duplicates of it that came with it. */
interface NewEvent {
  readonly event: AcceptedEvent
  duplicates: number
  lastDuplicateAt: number | null
}

/** The duplicates of an event that the archive has already. */
interface CountedEvent {
  readonly id: string
  duplicates: number
  lastDuplicateAt: number
}

/** What is to be written. */
export interface ArchiveDecisions {
  /** In their order. */
  readonly news: readonly NewEvent[]
  readonly counted: readonly CountedEvent[]
  /** The ids of duplicates that were not counted before. */
  readonly countedIds: readonly string[]
  /** The ids of all duplicates. */
  readonly duplicates: ReadonlySet<string>
  /** Events whose declined destinations are kept. */
  readonly decided: readonly Archiving[]
}

interface DecideOptions {
  /** What the archive knows of each entry. */
  readonly known: readonly KnownEvent[]
  readonly isPurged: (event: AcceptedEvent) => boolean
  readonly dedupeWindowMs: number
}

/**
 * Decides which events are new, and which are duplicates and of what. An event is no duplicate of itself, and a purged one is
 * neither.
 */
export function decideArchive(
  entries: readonly Archiving[],
  { known, isPurged, dedupeWindowMs }: DecideOptions,
): ArchiveDecisions {
  const news = new FirstEvents(dedupeWindowMs)
  const counted = new Map<string, CountedEvent>()
  const countedIds: string[] = []
  const duplicates = new Set<string>()
  const decided: Archiving[] = []
  for (const [index, entry] of entries.entries()) {
    const { event } = entry
    const { isArchived, isCounted, original } = known[index]!
    const first = original ?? news.originalOf(event)
    const isOther = first !== undefined && idOf(first) !== event.id
    if (!isArchived && (isCounted || isOther)) {
      if (!isCounted && !duplicates.has(event.id) && !isPurged(event)) {
        countedIds.push(event.id)
        count(counted, first!, event)
      }
      duplicates.add(event.id)
    } else if (!isPurged(event)) {
      if (!isArchived) news.add(event)
      decided.push(entry)
    }
  }
  return { news: news.all, counted: [...counted.values()], countedIds, duplicates, decided }
}

function idOf(first: string | NewEvent): string {
  return typeof first === 'string' ? first : first.event.id
}

function count(
  counted: Map<string, CountedEvent>,
  first: string | NewEvent,
  { receivedAt }: AcceptedEvent,
): void {
  if (typeof first !== 'string') {
    first.duplicates++
    first.lastDuplicateAt = receivedAt
    return
  }
  const before = counted.get(first)?.duplicates ?? 0
  counted.set(first, { id: first, duplicates: before + 1, lastDuplicateAt: receivedAt })
}

/** The new events of one call, by source and messageId. */
class FirstEvents {
  readonly all: NewEvent[] = []
  readonly #byMessage = new Map<string, NewEvent[]>()
  readonly #dedupeWindowMs: number

  constructor(dedupeWindowMs: number) {
    this.#dedupeWindowMs = dedupeWindowMs
  }

  /** Does nothing where it is there already. */
  add(event: AcceptedEvent): void {
    if (this.originalOf(event)?.event.id === event.id) return
    const made = { event, duplicates: 0, lastDuplicateAt: null }
    const key = keyOf(event)
    this.all.push(made)
    this.#byMessage.set(key, [...(this.#byMessage.get(key) ?? []), made])
  }

  originalOf(event: AcceptedEvent): NewEvent | undefined {
    const since = event.receivedAt - this.#dedupeWindowMs
    return this.#byMessage.get(keyOf(event))?.find((made) => made.event.receivedAt >= since)
  }
}

function keyOf({ sourceId, messageId }: AcceptedEvent): string {
  return JSON.stringify([sourceId, messageId])
}
