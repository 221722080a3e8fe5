import type { Activity, EventActivity } from './activity.ts'

/** Which activities a reader wants. An absent field matches all. */
export interface ActivityFilter {
  readonly kind?: Activity['kind']
  readonly sourceId?: string
  readonly destinationId?: string
  readonly type?: string
  /** The name of a track event, a page or a screen. */
  readonly event?: string
  readonly userId?: string
}

/** An activity with the event that it is about; `undefined` where the event is no longer in memory. */
export interface ActivityEntry {
  readonly activity: Activity
  readonly event: EventActivity | undefined
}

/** Whether the filter matches. An event has no destination yet, so a filter by destination lets it pass. */
export function passes({ activity, event }: ActivityEntry, filter: ActivityFilter): boolean {
  const wanted: readonly (readonly [string | undefined, string | null | undefined])[] = [
    [filter.kind, activity.kind],
    [filter.sourceId, event?.sourceId],
    [filter.destinationId, destinationOf(activity, filter)],
    [filter.type, event?.type],
    [filter.event, event?.name],
    [filter.userId, event?.userId],
  ]
  return wanted.every(([want, is]) => want === undefined || want === is)
}

function destinationOf(activity: Activity, filter: ActivityFilter): string | null | undefined {
  return activity.kind === 'event' ? filter.destinationId : activity.destinationId
}
