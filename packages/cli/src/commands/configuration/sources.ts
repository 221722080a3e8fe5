import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import type { Source } from '../../api/generated/management-client.ts'
import { listItems } from '../../api/list-items.ts'
import { definedFields } from '../../api/management-api.ts'
import { wholeNumber } from '../../options/whole-number.ts'
import { outputOf } from '../../output/output.ts'
import { showItem, showList } from '../../output/table.ts'

interface SourceOptions {
  readonly name?: string
  readonly enabled?: boolean
  readonly rateLimit?: number | 'none'
  readonly space?: string
}

/** `hookline sources …` */
export function addSources(program: Command): void {
  const sources = program
    .command('sources')
    .description('where events come from, with their write keys')

  withApiOptions(sources.command('list'))
    .description('list all sources')
    .action(async (_options: unknown, command: Command) => {
      const all = await listItems(apiOf(command).listSources)
      const none = 'No sources. Create one with `hookline sources create <name>`.'
      showList(outputOf(command), COLUMNS, all, none)
    })

  withApiOptions(sources.command('get <id>'))
    .description('show a source')
    .action(async (id: string, _options: unknown, command: Command) => {
      show(command, await apiOf(command).getSource(id))
    })

  withApiOptions(sources.command('create <name>'))
    .description('create a source with a write key')
    .option('--disabled', 'refuse its calls until it is enabled')
    .option('--rate-limit <calls>', 'accept at most this many calls per second', parseRateLimit)
    .option('--space <space>', 'space of its users; the default is default')
    .action(
      async (name: string, options: { disabled?: true } & SourceOptions, command: Command) => {
        const enabled = !options.disabled
        const { space } = options
        const body = definedFields({ name, enabled, rateLimit: rateLimitOf(options), space })
        show(command, await apiOf(command).createSource(body))
      },
    )

  withApiOptions(sources.command('update <id>'))
    .description('change the given fields')
    .option('--name <name>', 'new name of the source')
    .option('--enabled', 'accept its calls')
    .option('--no-enabled', 'refuse its calls')
    .option(
      '--rate-limit <calls>',
      'accept at most this many calls per second; none for no limit',
      parseRateLimit,
    )
    .option('--space <space>', 'space of its users, for events from now on')
    .action(async (id: string, options: SourceOptions, command: Command) => {
      const { name, enabled, space } = options
      const change = definedFields({ name, enabled, rateLimit: rateLimitOf(options), space })
      show(command, await apiOf(command).changeSource(id, change))
    })

  addKeyCommands(sources)

  withApiOptions(sources.command('delete <id>'))
    .description('delete a source and its destinations')
    .action(async (id: string, _options: unknown, command: Command) => {
      await apiOf(command).removeSource(id)
      outputOf(command).data({ id, deleted: true }, () => `Deleted ${id}.`)
    })
}

function addKeyCommands(sources: Command): void {
  withApiOptions(sources.command('add-key <id>'))
    .description('create another write key; the others stay valid')
    .action(async (id: string, _options: unknown, command: Command) => {
      const created = await apiOf(command).addWriteKey(id, {})
      outputOf(command).data(created, () => created.key)
    })

  withApiOptions(sources.command('remove-key <id> <key>'))
    .description('delete a write key; calls with it are refused from now on')
    .action(async (id: string, key: string, _options: unknown, command: Command) => {
      await apiOf(command).removeWriteKey(id, key)
      outputOf(command).data({ id, key, deleted: true }, () => `Deleted ${key}.`)
    })
}

function parseRateLimit(text: string): number | 'none' {
  return text === 'none' ? text : wholeNumber(1)(text)
}

// `none` becomes null only here: commander treats null as "no value".
function rateLimitOf({ rateLimit }: SourceOptions): number | null | undefined {
  return rateLimit === 'none' ? null : rateLimit
}

function show(command: Command, source: Source): void {
  showItem(outputOf(command), COLUMNS, source)
}

const COLUMNS = [
  { head: 'id', cell: ({ id }: Source) => id },
  { head: 'name', cell: ({ name }: Source) => name },
  { head: 'enabled', cell: ({ enabled }: Source) => (enabled ? 'yes' : 'no') },
  { head: 'rate limit', cell: (source: Source) => `${source.rateLimit ?? 'none'}` },
  { head: 'space', cell: ({ space }: Source) => space },
  {
    head: 'write keys',
    cell: ({ writeKeys }: Source) => writeKeys.map(({ key }) => key).join(' '),
  },
  { head: 'last used', cell: ({ writeKeys }: Source) => lastUseOf(writeKeys) },
]

/** The last use of any of the keys. ISO 8601 times in UTC sort as text. */
function lastUseOf(keys: Source['writeKeys']): string {
  return (
    keys
      .map(({ lastUsedAt }) => lastUsedAt ?? '')
      .toSorted()
      .at(-1) || 'never'
  )
}
