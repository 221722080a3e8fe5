import { PAYLOAD_TYPES, READY_MADE_TRANSFORMS } from '@hookline/protocol'
import type { Event } from '@hookline/cli/management-client'
import { isComputed, summaryOf, titleOf } from '../../../domain/events/event-summary.ts'
import { shownText } from '../../../format/shown-text.ts'
import { absoluteTime } from '../../../format/times.ts'
import type { Zone } from '../../../format/time-zone.ts'

export type Option = readonly [value: string, words: string]

/** The ready-made transforms by their expression, which is also the text that they fill in. */
export const READY_MADE: readonly Option[] = [
  ['', 'Choose…'],
  ...Object.values(READY_MADE_TRANSFORMS).map(
    ({ title, expression }) => [expression, title] as const,
  ),
]

type ShownEvent = Pick<Event, 'id' | 'sourceId' | 'event' | 'receivedAt'>

export function eventOptions(events: readonly ShownEvent[], zone: Zone): readonly Option[] {
  return events.map(({ id, sourceId, event, receivedAt }): Option => {
    const title = titleOf(summaryOf(event, isComputed(sourceId)))
    return [id, `${shownText(title, 60)}, ${absoluteTime(Date.parse(receivedAt), zone)}`]
  })
}

/** The payloads that a transform can be tried with: events, the newest first, and samples. */
export function payloadOptions(events: readonly ShownEvent[], zone: Zone): readonly Option[] {
  return [
    ...eventOptions(events, zone),
    ...PAYLOAD_TYPES.map((type): Option => [type, `Sample: ${type}`]),
  ]
}

/** The payload for the test route. */
export function payloadOf(value: string) {
  const type = PAYLOAD_TYPES.find((each) => each === value)
  return type === undefined ? { eventId: value } : { type }
}
