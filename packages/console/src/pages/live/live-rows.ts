import type { EventOutcome } from '@hookline/protocol'
import type {
  LiveAttempt,
  LiveDecision,
  LiveEvent,
  LiveMessage,
} from '../../stream/live-messages.ts'
import { type LiveFilters, matchesFilters } from './live-filters.ts'
import type { AnyRow, GapRow, LiveOutcome, LiveRow } from './live-row.ts'

export const MAX_ROWS = 1_000
const MAX_OUTCOMES = 60
const MAX_GAPS = 20

export interface LiveRows {
  /** The newest rows by event id, oldest first. */
  readonly recent: ReadonlyMap<string, LiveRow>
  /** Rows that match the filters, including ones no longer recent. Empty without filters. */
  readonly kept: ReadonlyMap<string, LiveRow>
  /** The newest gaps. If there are any, `received` is a lower bound. */
  readonly gaps: readonly GapRow[]
  /** Events since the page was opened, shown or not. */
  readonly received: number
  readonly nextOrder: number
  readonly lastAt: string | null
}

export const NO_ROWS: LiveRows = {
  recent: new Map(),
  kept: new Map(),
  gaps: [],
  received: 0,
  nextOrder: 1,
  lastAt: null,
}

/** Folds a batch of messages into the rows. Pure; unchanged rows keep their identity. */
export function foldMessages(
  rows: LiveRows,
  messages: readonly LiveMessage[],
  filters: LiveFilters,
  now: string,
): LiveRows {
  const next = new Folding(rows, filters, now)
  for (const message of messages) next.add(message)
  return next.result()
}

/** Rows that match the filters, and gaps, newest first. */
export function shownRows({ recent, kept, gaps }: LiveRows, filters: LiveFilters): AnyRow[] {
  const all = kept.size === 0 ? recent : new Map([...kept, ...recent])
  const shown = [...all.values()].filter((row) => matchesFilters(row, filters))
  return [...shown, ...gaps].toSorted((a, b) => b.order - a.order).slice(0, MAX_ROWS)
}

class Folding {
  readonly #rows: { -readonly [Name in keyof LiveRows]: LiveRows[Name] }
  readonly #recent: Map<string, LiveRow>
  readonly #kept: Map<string, LiveRow>
  readonly #filters: LiveFilters
  readonly #isFiltered: boolean
  readonly #now: string

  constructor(rows: LiveRows, filters: LiveFilters, now: string) {
    this.#rows = { ...rows }
    this.#recent = new Map(rows.recent)
    this.#isFiltered = Object.keys(filters).length > 0
    this.#kept = new Map(this.#isFiltered ? rows.kept : [])
    this.#filters = filters
    this.#now = now
  }

  add(message: LiveMessage): void {
    if (message.kind === 'event') this.#event(message)
    else if (message.kind === 'decision') this.#decision(message)
    else if (message.kind === 'attempt') this.#attempt(message)
    else if (message.kind === 'gap') this.#gap(message.missed)
    if ('at' in message) this.#rows.lastAt = message.at
  }

  result(): LiveRows {
    return { ...this.#rows, recent: evictOldRows(this.#recent), kept: evictOldRows(this.#kept) }
  }

  #event(event: LiveEvent): void {
    this.#rows.received += 1
    this.#put(this.#newRow(event, event.eventId, event.at))
  }

  #decision({ eventId, destinationId, decision, reason }: LiveDecision): void {
    const row = this.#find(eventId)
    if (row === undefined) return
    if (decision === 'duplicate') return this.#put({ ...row, isDuplicate: true })
    if (destinationId === null) return
    const known = row.outcomes.find((each) => each.destinationId === destinationId)
    // An attempt may arrive before its decision.
    if (known !== undefined && decision === 'deliver') return
    const state = decision === 'deliver' ? 'pending' : 'declined'
    this.#put(
      withOutcome(row, {
        destinationId,
        state,
        detail: reason,
        status: null,
        durationMs: null,
        attempt: null,
      }),
    )
  }

  #attempt(attempt: LiveAttempt): void {
    const { eventId, at, number, destinationId, status, durationMs } = attempt
    const row = this.#find(eventId) ?? (number > 1 ? this.#newRow(null, eventId, at) : undefined)
    if (row === undefined) return
    const outcome = { destinationId, state: stateAfter(attempt), detail: attempt.class }
    this.#put(withOutcome(row, { ...outcome, status, durationMs, attempt: number }))
  }

  #gap(missed: number | null): void {
    const order = this.#nextOrder()
    const row: GapRow = { kind: 'gap', order, missed, from: this.#rows.lastAt, to: this.#now }
    this.#rows.gaps = [...this.#rows.gaps, row].slice(-MAX_GAPS)
  }

  #newRow(event: LiveEvent | null, eventId: string, at: string): LiveRow {
    const order = this.#nextOrder()
    return { kind: 'event', order, event, eventId, at, isDuplicate: false, outcomes: [] }
  }

  #find(eventId: string): LiveRow | undefined {
    return this.#recent.get(eventId) ?? this.#kept.get(eventId)
  }

  #put(row: LiveRow): void {
    const isNew = !this.#kept.has(row.eventId)
    if (this.#recent.has(row.eventId) || isNew) this.#recent.set(row.eventId, row)
    if (this.#isFiltered && (!isNew || matchesFilters(row, this.#filters)))
      this.#kept.set(row.eventId, row)
  }

  #nextOrder(): number {
    this.#rows.nextOrder += 1
    return this.#rows.nextOrder - 1
  }
}

/** Evicts the oldest rows beyond the limit. Maps iterate in insertion order. */
function evictOldRows(rows: Map<string, LiveRow>): ReadonlyMap<string, LiveRow> {
  for (const id of rows.keys()) {
    if (rows.size <= MAX_ROWS) break
    rows.delete(id)
  }
  return rows
}

function withOutcome(row: LiveRow, outcome: LiveOutcome): LiveRow {
  const others = row.outcomes.filter((each) => each.destinationId !== outcome.destinationId)
  return { ...row, outcomes: [...others, outcome].slice(-MAX_OUTCOMES) }
}

/** The state of the whole delivery after an attempt to one of its webhooks. */
function stateAfter({ state, outcome }: LiveAttempt): EventOutcome {
  if (state === 'delivered' || state === 'declined' || state === 'held') return state
  if (state !== 'pending') return 'failed'
  return outcome === 'retry' ? 'retrying' : 'pending'
}
