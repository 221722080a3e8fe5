import {
  EVENT_OUTCOMES,
  EVENT_TYPES,
  type EventOutcome,
  type EventOutcomes,
  type EventType,
} from '@hookline/protocol'
import { Option } from 'commander'
import { optionalIdOf, requireKnown } from '../../api/find-id.ts'
import type { Event, Suppression } from '../../api/generated/management-client.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { definedFields } from '../../api/management-api.ts'
import { wrapLine } from '../../output/details.ts'
import { summaryOf, userOf } from '../../output/events/event-summary.ts'
import { missingLines } from '../../output/events/missing-text.ts'
import { showList } from '../../output/list.ts'
import { nameColumns, type Names, sourceNames } from '../../output/names.ts'
import { printableText } from '../../output/safe-text.ts'
import type { Column } from '../../output/table.ts'
import type { ApiCommand } from '../api-command.ts'
import { addEventNames } from './event-names.ts'
import { showTrace } from './trace.ts'

interface Selection {
  readonly messageId?: string
  readonly event?: string
  readonly user?: string
  readonly anonymous?: string
  readonly source?: string
}

interface ListOptions extends ListPart, Selection {
  readonly type?: EventType
  readonly outcome?: EventOutcome
  readonly text?: string
  readonly from?: string
  readonly to?: string
}

export function addEvents(program: ApiCommand): void {
  const events = program.command('events').description('list and show events')

  events
    .api('list', 'list events, newest first')
    .paged('long')
    .option('--source <id>', 'only events from this source')
    .addOption(new Option('--type <type>', 'only events of this type').choices(EVENT_TYPES))
    .option('--event <name>', 'only track events with this name')
    .option('--user <id>', 'only events with this userId')
    .option('--anonymous <id>', 'only events with this anonymousId')
    .option('--message-id <id>', 'only events with this messageId')
    .addOption(
      new Option('--outcome <outcome>', 'only events with this outcome at a destination').choices(
        EVENT_OUTCOMES,
      ),
    )
    .option('--text <text>', 'only events that contain this text')
    .receivedBetween()
    .run(async ({ api, output }, options: ListOptions) => {
      const { source, user, anonymous, messageId, type, event, outcome, text, from, to } = options
      const sourceId = await optionalIdOf(api, 'source', source)
      const ids = { sourceId, userId: user, anonymousId: anonymous, messageId }
      const filters = definedFields({ ...ids, $type: type, event, outcome, text, $from: from, to })
      const page = await listPart((next) => api.listEvents({ ...filters, ...next }), options)
      if (page.data.length === 0) await requireKnown(api, { sourceId })
      const names = await sourceNames(api, output)
      showList(output, columnsFor(page.data, names), page, 'No matching events.')
      if (user === undefined) return
      const suppressions = await api.listSuppressions({ userId: user })
      for (const each of suppressions.data) output.note(printableText(suppressionText(each)))
    })

  events.api('get <id>', 'show an event with its deliveries and attempts').runOn('event', showTrace)

  addEventNames(events)

  events
    .api('why-missing', 'list possible reasons why an event is missing')
    .option('--message-id <id>', 'the messageId of the call')
    .option('--event <id>', 'the id of the event')
    .option('--user <id>', 'the userId of the call')
    .option('--anonymous <id>', 'the anonymousId of the call')
    .option('--source <id>', 'the source of the call')
    .run(async ({ api, output }, options: Selection) => {
      const { messageId, event: eventId, user: userId, anonymous: anonymousId, source } = options
      const sourceId = await optionalIdOf(api, 'source', source)
      const selection = definedFields({ messageId, eventId, userId, anonymousId, sourceId })
      const missing = await api.explainMissingEvent(selection)
      const lines = missingLines(missing.causes).map((line) => wrapLine(output, line))
      output.data(missing, () => lines.join('\n'))
    })
}

function columnsFor(items: readonly Event[], names: Names): Column<Event>[] {
  return [
    { head: 'received', cell: ({ receivedAt }) => receivedAt, isTime: true },
    { head: 'id', cell: ({ id }) => id },
    { head: 'type', cell: ({ event }) => summaryOf(event).type ?? '' },
    { head: 'name', cell: ({ event }) => summaryOf(event).name ?? '', long: 'cut' },
    { head: 'user', cell: ({ event }) => userOf(summaryOf(event)), long: 'cut' },
    { head: 'outcome', cell: ({ outcomes }) => outcomeText(outcomes), rank: 0 },
    ...nameColumns('source', ({ sourceId }: Event) => sourceId, { names, items }).map((column) => ({
      ...column,
      rank: column.rank ?? 1,
    })),
  ]
}

/** `delivered`, or with several destinations `1 failed, 2 delivered`. */
function outcomeText(outcomes: EventOutcomes): string {
  const all = EVENT_OUTCOMES.flatMap((outcome) => {
    const destinations = outcomes[outcome] ?? 0
    return destinations === 0 ? [] : [{ outcome, destinations }]
  })
  if (all.length === 1 && all[0]!.destinations === 1) return all[0]!.outcome
  return all.map(({ outcome, destinations }) => `${destinations} ${outcome}`).join(', ')
}

function suppressionText({ userId, anonymousId, sourceId, ...rest }: Suppression): string {
  const { since, deletionId, droppedCalls, lastDroppedAt } = rest
  const where = sourceId === null ? 'all sources' : sourceId
  const calls = droppedCalls === 1 ? '1 call dropped' : `${droppedCalls} calls dropped`
  const last = lastDroppedAt === null ? '' : `, last at ${lastDroppedAt}`
  const who = userId === null ? `AnonymousId ${anonymousId}` : `User ${userId}`
  return `${who} has been suppressed in ${where} since ${since} (${deletionId}): ${calls}${last}.`
}
