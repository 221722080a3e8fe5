import { boundAt, dayOf, DAY_MS, startOf } from './days.ts'

/** What the next slice of a walk does. */
export type RemovalPlan =
  /** Looks at the events whose ids are between the bounds, and goes on at `end`, or ends where that is the end of the walk. */
  | { readonly kind: 'rows'; readonly end: string; readonly isLast: boolean }
  /** Drops the partitions of a day, or looks at its events as `rows` does. */
  | { readonly kind: 'day'; readonly day: number; readonly end: string; readonly isLast: boolean }
  | { readonly kind: 'end' }

export interface RemovalPlace {
  /** Only what was received before this time; of any age where it is absent. */
  readonly before: number | undefined
  /** The bound or the id that the walk has reached; empty at its beginning. */
  readonly after: string
}

/** The days that have partitions, in their order. */
export interface KnownDays {
  readonly today: number
  readonly days: readonly number[]
}

/** After the ids of every event. */
const LAST = 'evt_~'
/** What is kept for so many days or longer may be kept to the end of its day. */
const WHOLE_DAYS = 2

/**
 * The next slice. A walk goes by id, from the rests of old days in the default partition to the newest day. A day that has to go is
 * dropped as a whole; so that this is the rule, the events of the last day stay until all of it is old enough. They go one by one
 * where they are kept for less than WHOLE_DAYS.
 */
export function planRemoval(
  { before, after }: RemovalPlace,
  { today, days }: KnownDays,
): RemovalPlan {
  const end = before === undefined ? LAST : endOfWalk(before, { today, days })
  if (after >= end) return { kind: 'end' }
  const day = days.find((each) => startOf('evt', each + 1) > after)
  if (day === undefined || startOf('evt', day) >= end) return { kind: 'rows', end, isLast: true }
  const start = startOf('evt', day)
  if (after < start) return { kind: 'rows', end: start, isLast: false }
  const next = startOf('evt', day + 1)
  // Late events of yesterday are still on their way.
  const isWhole = next <= end && day < today - 1
  const part = { end: next < end ? next : end, isLast: next >= end }
  return after === start && isWhole ? { kind: 'day', day, ...part } : { kind: 'rows', ...part }
}

function endOfWalk(before: number, { today, days }: KnownDays): string {
  const day = dayOf(before)
  const staysWhole = days.includes(day) && today - day >= WHOLE_DAYS
  return boundAt('evt', staysWhole ? day * DAY_MS : before)
}
