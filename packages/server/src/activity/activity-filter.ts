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

/** An activity with its event; `undefined` if the event has left the memory. */
export interface ActivityEntry {
  readonly activity: Activity
  readonly event: EventActivity | undefined
}

/** Whether the filter matches. An event has no destination yet, so a filter by destination lets it pass. */
export function passes({ activity, event }: ActivityEntry, filter: ActivityFilter): boolean {
  return (
    isWanted(filter.kind, activity.kind) &&
    isWanted(filter.sourceId, event?.sourceId) &&
    (activity.kind === 'event' || isWanted(filter.destinationId, activity.destinationId)) &&
    isWanted(filter.type, event?.type) &&
    isWanted(filter.event, event?.name) &&
    isWanted(filter.userId, event?.userId)
  )
}

function isWanted(wanted: string | undefined, given: string | null | undefined): boolean {
  return wanted === undefined || wanted === given
}
