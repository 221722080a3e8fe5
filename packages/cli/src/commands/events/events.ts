import { EVENT_TYPES, type EventType } from '@hookline/protocol'
import { type Command, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import type { Event } from '../../api/generated/management-client.ts'
import { listItems } from '../../api/list-items.ts'
import { definedFields } from '../../api/management-api.ts'
import { outputOf } from '../../output/output-of.ts'
import { summaryOf, userOf } from '../../output/event-summary.ts'
import { table } from '../../output/table.ts'
import { traceText } from '../../output/trace-text.ts'
import { limitOption } from '../../options/count-option.ts'

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
  const events = program.command('events').description('what was received')

  withApiOptions(events.command('list'))
    .description('list events, newest first')
    .option('--source <id>', 'only those of this source')
    .addOption(new Option('--type <type>', 'only those of this type').choices(EVENT_TYPES))
    .option('--event <name>', 'only track events of this name')
    .option('--user <id>', 'only those of this userId')
    .option('--anonymous <id>', 'only those of this anonymousId')
    .option('--message-id <id>', 'only those with this messageId')
    .option('--text <text>', 'only those that contain this text')
    .option('--from <time>', 'received from this moment on, in ISO 8601')
    .option('--to <time>', 'received before this moment, in ISO 8601')
    .addOption(limitOption())
    .action(async (options: ListOptions, command: Command) => {
      const { limit, source, user, anonymous, messageId, type, event, text, from, to } = options
      const ids = { sourceId: source, userId: user, anonymousId: anonymous, messageId }
      const filters = definedFields({ ...ids, $type: type, event, text, $from: from, to })
      const api = apiOf(command)
      const data = await listItems((page) => api.listEvents({ ...filters, ...page }), limit)
      const output = outputOf(command)
      output.data({ data }, () =>
        data.length === 0 ? 'No such events.' : table(output, COLUMNS, data),
      )
    })

  withApiOptions(events.command('get <id>'))
    .description('show an event and what became of it, by its evt_… id')
    .action(async (id: string, _options: unknown, command: Command) => {
      const trace = await apiOf(command).getEvent(id)
      const output = outputOf(command)
      output.data(trace, () => traceText(output, trace))
    })
}

const COLUMNS = [
  { head: 'received', cell: ({ receivedAt }: Event) => receivedAt },
  { head: 'id', cell: ({ id }: Event) => id },
  { head: 'type', cell: ({ event }: Event) => summaryOf(event).type },
  { head: 'name', cell: ({ event }: Event) => summaryOf(event).name ?? '' },
  { head: 'user', cell: ({ event }: Event) => userOf(summaryOf(event)) },
]
