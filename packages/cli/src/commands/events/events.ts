import { EVENT_TYPES } from '@hookline/protocol'
import { type Command, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import type { EventShown, TraceShown } from '../../api/resources.ts'
import { outputOf } from '../../output/output-of.ts'
import { table } from '../../output/table.ts'
import { traceText } from '../../output/trace-text.ts'
import { limitOption } from '../../options/count-option.ts'
import { given } from '../../options/given.ts'

interface ListOptions {
  readonly source?: string
  readonly type?: string
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
      const query = given({ ...ids, type, event, text, from, to })
      const data = await apiOf(command).first<EventShown>('events', query, limit)
      const output = outputOf(command)
      output.data({ data }, () =>
        data.length === 0 ? 'No such events.' : table(output, COLUMNS, data),
      )
    })

  withApiOptions(events.command('get <id>'))
    .description('show an event and what became of it, by its evt_… id')
    .action(async (id: string, _options: unknown, command: Command) => {
      const trace = await apiOf(command).get<TraceShown>(`events/${encodeURIComponent(id)}`)
      const output = outputOf(command)
      output.data(trace, () => traceText(output, trace))
    })
}

const COLUMNS = [
  { head: 'received', cell: ({ receivedAt }: EventShown) => receivedAt },
  { head: 'id', cell: ({ id }: EventShown) => id },
  { head: 'type', cell: ({ event }: EventShown) => event.type },
  { head: 'name', cell: ({ event }: EventShown) => event.event ?? event.name ?? '' },
  { head: 'user', cell: ({ event }: EventShown) => event.userId ?? event.anonymousId ?? '' },
]
