import {
  EVENT_OUTCOMES,
  EVENT_TYPES,
  type EventOutcome,
  type EventOutcomes,
  type EventType,
} from '@hookline/protocol'
import { type Command, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { idOf, optionalIdOf } from '../../api/find-id.ts'
import type { Event, Suppression } from '../../api/generated/management-client.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { requireKnown } from '../../api/require-known.ts'
import { wrapped } from '../../output/details.ts'
import { missingLines } from '../../output/events/missing-text.ts'
import { summaryOf, userOf } from '../../output/events/event-summary.ts'
import { nameColumns, type Names, sourceNames } from '../../output/names.ts'
import { type Output, outputOf } from '../../output/output.ts'
import { printable } from '../../output/safe-text.ts'
import { showList } from '../../output/list.ts'
import type { Column } from '../../output/table.ts'
import { showTrace } from './show-trace.ts'
import { PAST_TIME, pastTime } from '../../options/time-options.ts'
import { withLongListOptions } from '../../options/list-options.ts'

const past = (text: string) => pastTime(text)

interface ListOptions extends ListPart {
  readonly source?: string
  readonly type?: EventType
  readonly event?: string
  readonly user?: string
  readonly anonymous?: string
  readonly messageId?: string
  readonly outcome?: EventOutcome
  readonly text?: string
  readonly from?: string
  readonly to?: string
}

/** `hookline events …` */
export function addEvents(program: Command): void {
  const events = program.command('events').description('events that were received')

  withLongListOptions(withApiOptions(events.command('list')))
    .description('list events, newest first')
    .option('--source <id>', 'only events of this source')
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
    .option('--from <time>', `only events received at this time or later: ${PAST_TIME}`, past)
    .option('--to <time>', 'only events received before this time', past)
    .action(async (options: ListOptions, command: Command) => {
      const { source, user, anonymous, messageId, ...rest } = options
      const { type, event, outcome, text, from, to } = rest
      const api = apiOf(command)
      const sourceId = await optionalIdOf(api, 'source', source)
      const ids = { sourceId, userId: user, anonymousId: anonymous, messageId }
      const filters = definedFields({ ...ids, $type: type, event, outcome, text, $from: from, to })
      const page = await listPart((next) => api.listEvents({ ...filters, ...next }), options)
      if (page.data.length === 0) await requireKnown(api, { sourceId })
      const output = outputOf(command)
      const names = await sourceNames(api, output)
      showList(output, columnsFor(page.data, names), page, 'No matching events.')
      if (user !== undefined) await noteSuppressions(output, api, user)
    })

  withApiOptions(events.command('get <id>'))
    .description('show an event, by its evt_… id, with its decisions, deliveries and attempts')
    .action(async (id: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      await showTrace(outputOf(command), api, await idOf(api, 'event', id))
    })

  addWhyMissing(events)
}

interface MissingOptions {
  readonly messageId?: string
  readonly event?: string
  readonly user?: string
  readonly anonymous?: string
  readonly source?: string
}

function addWhyMissing(events: Command): void {
  withApiOptions(events.command('why-missing'))
    .description('list why an event that was sent may not be there')
    .option('--message-id <id>', 'the messageId of the call')
    .option('--event <id>', 'the evt_… id of the event')
    .option('--user <id>', 'the userId of the call')
    .option('--anonymous <id>', 'the anonymousId of the call')
    .option('--source <id>', 'the source of the call')
    .action(async (options: MissingOptions, command: Command) => {
      const { messageId, event: eventId, user: userId, anonymous: anonymousId, source } = options
      const api = apiOf(command)
      const sourceId = await optionalIdOf(api, 'source', source)
      const known = definedFields({ messageId, eventId, userId, anonymousId, sourceId })
      const output = outputOf(command)
      const missing = await api.explainMissingEvent(known)
      output.data(missing, () =>
        missingLines(missing.causes)
          .map((line) => wrapped(output, line))
          .join('\n'),
      )
    })
}

async function noteSuppressions(output: Output, api: ManagementApi, userId: string): Promise<void> {
  const { data } = await api.listSuppressions({ userId })
  for (const each of data) output.note(printable(suppressionText(each)))
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

/** What became of an event: `delivered`, or with several destinations `1 failed, 2 delivered`. Empty while nothing is recorded. */
function outcomeText(outcomes: EventOutcomes): string {
  const all = EVENT_OUTCOMES.flatMap((outcome) => {
    const destinations = outcomes[outcome] ?? 0
    return destinations === 0 ? [] : [{ outcome, destinations }]
  })
  if (all.length === 1 && all[0]!.destinations === 1) return all[0]!.outcome
  return all.map(({ outcome, destinations }) => `${destinations} ${outcome}`).join(', ')
}

/** Says that nothing of a user is stored, since when, and how many calls were left out. */
function suppressionText({ userId, anonymousId, sourceId, ...rest }: Suppression): string {
  const { since, deletionId, callsLeftOut, lastLeftOutAt } = rest
  const where = sourceId === null ? 'every source' : sourceId
  const calls = callsLeftOut === 1 ? '1 call was left out' : `${callsLeftOut} calls were left out`
  const last = lastLeftOutAt === null ? '' : `, the last one at ${lastLeftOutAt}`
  const who = userId === null ? `anonymousId ${anonymousId}` : `user ${userId}`
  return `The ${who} is suppressed in ${where} since ${since} (${deletionId}): ${calls}${last}.`
}
