import type { Activity, EventActivity } from './activity.ts'

/** Which activities are told. What is absent says nothing. */
export interface ActivityFilter {
  readonly kind?: Activity['kind']
  readonly sourceId?: string
  readonly destinationId?: string
  readonly type?: string
  /** The name of a track event, a page or a screen. */
  readonly event?: string
  readonly userId?: string
}

/** Something that happened, and to which event; `undefined` where that was long ago. */
export interface Happening {
  readonly activity: Activity
  readonly event: EventActivity | undefined
}

/** Whether the filter lets it pass. Of an event there is no destination yet: it passes a filter by destination. */
export function passes({ activity, event }: Happening, filter: ActivityFilter): boolean {
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
