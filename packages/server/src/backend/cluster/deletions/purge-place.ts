import type { Purge, Subject } from '../../deletions.ts'

/** Ids whose events are looked for together. */
const GROUP = 50

/** An id, by its index among those of its kind, and the last of its events that was looked at: when it arrived, and its seq. */
export type OpenId = readonly [index: number, afterAt: number, afterSeq: number]

/** Where a step of a purge begins. Ids of one kind go group by group, and each group goes column by column. */
export interface PurgePlace {
  readonly kind: Subject['kind']
  /** The index of the first id of the group. */
  readonly from: number
  /** `own`: the events with the ids; `previous`: the calls that name one of them as the former id. */
  readonly column: 'own' | 'previous'
  /** The ids that may have more events in the column; absent at its beginning. */
  readonly open?: readonly OpenId[]
}

/** Where a purge begins; `null` where it names nobody. */
export function firstPlace(purge: Purge): PurgePlace | null {
  return groupAt(purge, 'user', 0) ?? groupAt(purge, 'anonymous', 0)
}

/** The place after a step, which left these ids open. */
export function placeAfter(
  place: PurgePlace,
  purge: Purge,
  open: readonly OpenId[],
): PurgePlace | null {
  const { kind, from, column } = place
  if (open.length > 0) return { ...place, open }
  if (column === 'own') return { kind, from, column: 'previous' }
  const next = groupAt(purge, kind, from + GROUP)
  return next ?? (kind === 'user' ? groupAt(purge, 'anonymous', 0) : null)
}

/** Whether nothing was done of the group yet. */
export function isGroupBeginning({ column, open }: PurgePlace): boolean {
  return column === 'own' && open === undefined
}

/** Whether everything was done of the group of `place`. */
export function isGroupEnd(place: PurgePlace, next: PurgePlace | null): boolean {
  return next === null || next.kind !== place.kind || next.from !== place.from
}

export function groupOf({ kind, from }: PurgePlace, purge: Purge): readonly string[] {
  return idsOf(purge, kind).slice(from, from + GROUP)
}

/** The ids of the group that are looked for. */
export function openIds(
  { kind, from, open }: PurgePlace,
  purge: Purge,
): readonly (readonly [id: string, ...OpenId])[] {
  const ids = idsOf(purge, kind)
  const all = ids.slice(from, from + GROUP).map((_, index): OpenId => [from + index, -1, 0])
  return (open ?? all).map((each) => [ids[each[0]]!, ...each])
}

function groupAt(purge: Purge, kind: Subject['kind'], from: number): PurgePlace | null {
  return from < idsOf(purge, kind).length ? { kind, from, column: 'own' } : null
}

function idsOf({ userIds, anonymousIds = [] }: Purge, kind: Subject['kind']): readonly string[] {
  return kind === 'user' ? userIds : anonymousIds
}
