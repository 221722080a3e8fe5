import type { LiveRow } from './live-row.ts'

/** All texts of a row, for the search in it. */
export function summaryText({ eventId, event, outcomes }: LiveRow): string {
  const ofEvent =
    event === null
      ? []
      : [event.type, event.name, event.userId, event.anonymousId, event.messageId, event.sourceId]
  const ofOutcomes = outcomes.flatMap(({ destinationId, state, detail, status }) => [
    destinationId,
    state,
    detail,
    status,
  ])
  return [eventId, ...ofEvent, ...ofOutcomes].filter((each) => each !== null).join('\n')
}
