import { EVENT_TYPES, type EventType } from '@hookline/protocol'
import { type Command, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import type { Event } from '../../api/generated/management-client.ts'
import { listItems } from '../../api/list-items.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { summaryOf, userOf } from '../../output/event-summary.ts'
import { type Output, outputOf } from '../../output/output.ts'
import { printable } from '../../output/safe-text.ts'
import { suppressionText } from '../../output/suppression-text.ts'
import { showList } from '../../output/table.ts'
import { traceText } from '../../output/trace-text.ts'
import { limitOption } from '../../options/whole-number.ts'

interface ListOptions {
  readonly source?: string
  readonly type?: EventType
  readonly event?: string
  readonly user?: string
  readonly anonymous?: string
  readonly messageId?: string
  readonly text?: string
  readonly from?: string
  readonly to?: string
  readonly limit: number
}

/** `hookline events …` */
export function addEvents(program: Command): void {
  const events = program.command('events').description('events that were received')

  withApiOptions(events.command('list'))
    .description('list events, newest first')
    .option('--source <id>', 'only events of this source')
    .addOption(new Option('--type <type>', 'only events of this type').choices(EVENT_TYPES))
    .option('--event <name>', 'only track events with this name')
    .option('--user <id>', 'only events with this userId')
    .option('--anonymous <id>', 'only events with this anonymousId')
    .option('--message-id <id>', 'only events with this messageId')
    .option('--text <text>', 'only events that contain this text')
    .option('--from <time>', 'only events received at this time or later, in ISO 8601')
    .option('--to <time>', 'only events received before this time, in ISO 8601')
    .addOption(limitOption())
    .action(async (options: ListOptions, command: Command) => {
      const { limit, source, user, anonymous, messageId, type, event, text, from, to } = options
      const ids = { sourceId: source, userId: user, anonymousId: anonymous, messageId }
      const filters = definedFields({ ...ids, $type: type, event, text, $from: from, to })
      const api = apiOf(command)
      const data = await listItems((page) => api.listEvents({ ...filters, ...page }), limit)
      const output = outputOf(command)
      showList(output, COLUMNS, data, 'No matching events.')
      if (user !== undefined) await noteSuppressions(output, api, user)
    })

  withApiOptions(events.command('get <id>'))
    .description('show an event, by its evt_… id, with its decisions, deliveries and attempts')
    .action(async (id: string, _options: unknown, command: Command) => {
      const trace = await apiOf(command).getEvent(id)
      const output = outputOf(command)
      output.data(trace, () => traceText(output, trace))
    })
}

async function noteSuppressions(output: Output, api: ManagementApi, userId: string): Promise<void> {
  const { data } = await api.listSuppressions({ userId })
  for (const each of data) output.note(printable(suppressionText(each)))
}

const COLUMNS = [
  { head: 'received', cell: ({ receivedAt }: Event) => receivedAt },
  { head: 'id', cell: ({ id }: Event) => id },
  { head: 'type', cell: ({ event }: Event) => summaryOf(event).type ?? '' },
  { head: 'name', cell: ({ event }: Event) => summaryOf(event).name ?? '' },
  { head: 'user', cell: ({ event }: Event) => userOf(summaryOf(event)) },
]
