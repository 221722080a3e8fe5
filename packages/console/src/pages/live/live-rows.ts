import type { EventOutcome } from '@hookline/protocol'
import type {
  LiveAttempt,
  LiveDecision,
  LiveEvent,
  LiveGap,
  LiveMessage,
} from '../../stream/live-messages.ts'
import { type LiveFilters, matches } from './live-filters.ts'
import type { AnyRow, GapRow, LiveOutcome, LiveRow } from './live-row.ts'

/** Rows that are kept. Older ones are on the page Events. */
export const MOST_ROWS = 1_000
const MOST_OUTCOMES = 60

export interface LiveRows {
  /** The newest rows by their event, oldest first. What arrives is folded into them. */
  readonly recent: ReadonlyMap<string, LiveRow>
  /** Rows that match the filters, which stay when they are no longer recent. Empty without filters. */
  readonly kept: ReadonlyMap<string, LiveRow>
  /** What is missing, and where. */
  readonly gaps: readonly GapRow[]
  /** Events since the page was opened, including those that are not shown. */
  readonly received: number
  /** There were gaps, in which events may have been that are not counted. */
  readonly isIncomplete: boolean
  readonly nextOrder: number
  readonly lastAt: string | null
}

export const NO_ROWS: LiveRows = {
  recent: new Map(),
  kept: new Map(),
  gaps: [],
  received: 0,
  isIncomplete: false,
  nextOrder: 1,
  lastAt: null,
}

const MOST_GAPS = 20

/** A batch of messages folded into the rows. Pure: rows that nothing has happened to stay the same objects. */
export function fold(
  rows: LiveRows,
  messages: readonly LiveMessage[],
  filters: LiveFilters,
  now: string,
): LiveRows {
  const next = new Folding(rows, filters, now)
  for (const message of messages) next.take(message)
  return next.result()
}

/** The rows that match the filters, and the gaps, newest first. */
export function shownRows({ recent, kept, gaps }: LiveRows, filters: LiveFilters): AnyRow[] {
  const all = kept.size === 0 ? recent : new Map([...kept, ...recent])
  const shown = [...all.values()].filter((row) => matches(row, filters))
  return [...shown, ...gaps].toSorted((a, b) => b.order - a.order).slice(0, MOST_ROWS)
}

/** One batch at work. */
class Folding {
  readonly #recent: Map<string, LiveRow>
  readonly #kept: Map<string, LiveRow>
  readonly #filters: LiveFilters
  readonly #isFiltered: boolean
  readonly #now: string
  #gaps: LiveRows['gaps']
  #received: number
  #isIncomplete: boolean
  #order: number
  #lastAt: string | null

  constructor(rows: LiveRows, filters: LiveFilters, now: string) {
    this.#recent = new Map(rows.recent)
    this.#isFiltered = Object.keys(filters).length > 0
    this.#kept = new Map(this.#isFiltered ? rows.kept : [])
    this.#filters = filters
    this.#now = now
    this.#gaps = rows.gaps
    this.#received = rows.received
    this.#isIncomplete = rows.isIncomplete
    this.#order = rows.nextOrder
    this.#lastAt = rows.lastAt
  }

  take(message: LiveMessage): void {
    if (message.kind === 'event') this.#event(message)
    else if (message.kind === 'decision') this.#decision(message)
    else if (message.kind === 'attempt') this.#attempt(message)
    else if (message.kind === 'gap') this.#gap(message)
    if ('at' in message) this.#lastAt = message.at
  }

  result(): LiveRows {
    return {
      recent: bounded(this.#recent),
      kept: bounded(this.#kept),
      gaps: this.#gaps,
      received: this.#received,
      isIncomplete: this.#isIncomplete,
      nextOrder: this.#order,
      lastAt: this.#lastAt,
    }
  }

  #event(event: LiveEvent): void {
    this.#received += 1
    const { eventId, at } = event
    this.#put({
      kind: 'event',
      order: this.#take(),
      event,
      eventId,
      at,
      isDuplicate: false,
      outcomes: [],
    })
  }

  #decision({ eventId, destinationId, decision, reason }: LiveDecision): void {
    const row = this.#find(eventId)
    if (row === undefined) return
    if (decision === 'duplicate') return this.#put({ ...row, isDuplicate: true })
    if (destinationId === null) return
    const known = row.outcomes.find((each) => each.destinationId === destinationId)
    // An attempt may be told before its decision.
    if (known !== undefined && decision === 'deliver') return
    const state = decision === 'deliver' ? 'pending' : 'declined'
    this.#put(
      withOutcome(row, { destinationId, state, detail: reason, status: null, durationMs: null }),
    )
  }

  #attempt(attempt: LiveAttempt): void {
    const { eventId, at, number, destinationId, status, durationMs } = attempt
    const row = this.#find(eventId) ?? (number > 1 ? this.#earlier(eventId, at) : undefined)
    if (row === undefined) return
    const outcome = { destinationId, state: stateAfter(attempt), detail: attempt.class }
    this.#put(withOutcome(row, { ...outcome, status, durationMs }))
  }

  /** A retry of an event that is not among the rows any longer. */
  #earlier(eventId: string, at: string): LiveRow {
    const order = this.#take()
    return { kind: 'event', order, event: null, eventId, at, isDuplicate: false, outcomes: [] }
  }

  #gap({ missed }: LiveGap): void {
    const order = this.#take()
    const row: GapRow = { kind: 'gap', order, missed, from: this.#lastAt, to: this.#now }
    this.#gaps = [...this.#gaps, row].slice(-MOST_GAPS)
    this.#isIncomplete = true
  }

  #find(eventId: string): LiveRow | undefined {
    return this.#recent.get(eventId) ?? this.#kept.get(eventId)
  }

  #put(row: LiveRow): void {
    const isNew = !this.#kept.has(row.eventId)
    if (this.#recent.has(row.eventId) || isNew) this.#recent.set(row.eventId, row)
    if (this.#isFiltered && (!isNew || matches(row, this.#filters)))
      this.#kept.set(row.eventId, row)
  }

  #take(): number {
    this.#order += 1
    return this.#order - 1
  }
}

/** The newest rows. A map keeps the order in which rows were added. */
function bounded(rows: Map<string, LiveRow>): ReadonlyMap<string, LiveRow> {
  let surplus = rows.size - MOST_ROWS
  for (const id of rows.keys()) {
    if (surplus <= 0) break
    rows.delete(id)
    surplus -= 1
  }
  return rows
}

function withOutcome(row: LiveRow, outcome: LiveOutcome): LiveRow {
  const others = row.outcomes.filter((each) => each.destinationId !== outcome.destinationId)
  return { ...row, outcomes: [...others, outcome].slice(-MOST_OUTCOMES) }
}

/** How the whole delivery stands after an attempt on one of its webhooks. */
function stateAfter({ state, outcome }: LiveAttempt): EventOutcome {
  if (state === 'delivered' || state === 'held') return state
  if (state !== 'pending') return 'failed'
  return outcome === 'retry' ? 'retrying' : 'pending'
}
