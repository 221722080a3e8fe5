import type { EventType } from '@hookline/protocol'
import type { Page, PageRequest } from './page.ts'

/**
 * The JSON types of a property. Each is one bit in the database, so new types must be added at the
 * end.
 */
export const PROPERTY_TYPES = ['string', 'number', 'boolean', 'object', 'array', 'null'] as const
export type PropertyType = (typeof PROPERTY_TYPES)[number]

/** The number of days for which a name keeps counts. Days without events do not count. */
export const TREND_DAYS = 7

/** The type that counts all names beyond the limit of their source. */
export const OTHER_NAMES = ''

interface NameKey {
  readonly sourceId: string
  readonly type: EventType | typeof OTHER_NAMES
  /** Empty for a type without names, a page or screen without a name, and `OTHER_NAMES`. */
  readonly name: string
}

/** A property of `properties`, or a trait. */
interface KnownProperty {
  readonly name: string
  readonly types: readonly PropertyType[]
  readonly lastSeenAt: number
}

interface NameCounts extends NameKey {
  /** Events, excluding duplicates and computed events. */
  readonly count: number
  readonly firstSeenAt: number
  readonly lastSeenAt: number
  /** Whether there are properties that are not listed. */
  readonly hasMoreProperties: boolean
}

export interface EventName extends NameCounts {
  /** Events by day of receipt, as in `dayOf`: the last `TREND_DAYS` that had any. */
  readonly days: ReadonlyMap<number, number>
  readonly properties: readonly KnownProperty[]
}

/** `soleUser`: if only one user sent it, the `shortHash` of `user ID` or `anonymous ID`; otherwise empty. */
type WithUser<T> = T & { readonly soleUser: string }

export interface SeenName extends WithUser<Omit<EventName, 'properties'>> {
  readonly properties: readonly WithUser<KnownProperty>[]
}

export interface SeenNames {
  /** The position from `state`, or `through` of the previous call. */
  readonly after: number
  /** The position of the last counted event. */
  readonly through: number
  /** From `state`, read before the events. */
  readonly purges: number
  /** Each name once. */
  readonly names: readonly SeenName[]
}

export interface EventNamesState {
  /** The position of the last counted event. */
  readonly through: number
  readonly purges: number
}

export interface EventNameFilter {
  readonly sourceId?: string | undefined
  readonly type?: EventType | undefined
}

/**
 * The names of events and of their properties, never values, with counts and times. Counted from
 * the log with a separate cursor, so that nothing is counted twice. Retention does not wait for
 * this cursor: events that it removes first are not counted.
 *
 * A name or a property that only one user sent may contain that user's data: a purge of the user removes it. One that the user
 * sent under two ids, for example before and after a login, counts as sent by two users and is kept.
 */
export interface EventNames {
  /** The first call begins at the oldest event in the log. */
  state(): Promise<EventNamesState>

  /**
   * Adds to the stored names, and moves the cursor: all or nothing. Resolves to false without changes if the cursor is not at
   * `after`, or if a user has been purged since: read the state and the events again. Names of unknown sources are ignored.
   */
  add(seen: SeenNames): Promise<boolean>

  /** Ordered by source, type and name. */
  list(filter: EventNameFilter, page: PageRequest): Promise<Page<EventName>>
}
