import { type Command, InvalidArgumentError } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import type { Source } from '../../api/generated/management-client.ts'
import { listItems } from '../../api/list-items.ts'
import { definedFields } from '../../api/management-api.ts'
import { outputOf } from '../../output/output-of.ts'
import { sheet, table } from '../../output/table.ts'

interface SourceOptions {
  readonly name?: string
  readonly enabled?: boolean
  readonly rateLimit?: number | 'none'
}

/** `hookline sources …` */
export function addSources(program: Command): void {
  const sources = program
    .command('sources')
    .description('where events come from, and their write keys')

  withApiOptions(sources.command('list'))
    .description('list all sources')
    .action(async (_options: unknown, command: Command) => {
      showList(command, await listItems(apiOf(command).listSources))
    })

  withApiOptions(sources.command('get <id>'))
    .description('show a source')
    .action(async (id: string, _options: unknown, command: Command) => {
      show(command, await apiOf(command).getSource(id))
    })

  withApiOptions(sources.command('create <name>'))
    .description('make a source with a write key')
    .option('--disabled', 'refuse its calls for now')
    .option('--rate-limit <calls>', 'most calls per second', parseRateLimit)
    .action(
      async (name: string, options: { disabled?: true } & SourceOptions, command: Command) => {
        const enabled = !options.disabled
        const body = definedFields({ name, enabled, rateLimit: rateLimitOf(options) })
        show(command, await apiOf(command).createSource(body))
      },
    )

  withApiOptions(sources.command('update <id>'))
    .description('change what is given')
    .option('--name <name>', 'another name')
    .option('--enabled', 'take its calls')
    .option('--no-enabled', 'refuse its calls')
    .option('--rate-limit <calls>', 'most calls per second, or none', parseRateLimit)
    .action(async (id: string, options: SourceOptions, command: Command) => {
      const { name, enabled } = options
      const change = definedFields({ name, enabled, rateLimit: rateLimitOf(options) })
      show(command, await apiOf(command).changeSource(id, change))
    })

  addKeyCommands(sources)

  withApiOptions(sources.command('delete <id>'))
    .description('remove a source and its destinations')
    .action(async (id: string, _options: unknown, command: Command) => {
      await apiOf(command).removeSource(id)
      outputOf(command).data({ id, deleted: true }, () => `Deleted ${id}.`)
    })
}

function addKeyCommands(sources: Command): void {
  withApiOptions(sources.command('add-key <id>'))
    .description('make another write key; the old ones go on working')
    .action(async (id: string, _options: unknown, command: Command) => {
      const made = await apiOf(command).addWriteKey(id, {})
      outputOf(command).data(made, () => made.key)
    })

  withApiOptions(sources.command('remove-key <id> <key>'))
    .description('remove a write key; calls with it are refused from now on')
    .action(async (id: string, key: string, _options: unknown, command: Command) => {
      await apiOf(command).removeWriteKey(id, key)
      outputOf(command).data({ id, key, deleted: true }, () => `Removed ${key}.`)
    })
}

function parseRateLimit(text: string): number | 'none' {
  if (text === 'none') return text
  const calls = Number(text)
  if (!Number.isSafeInteger(calls) || calls < 1) {
    throw new InvalidArgumentError('It must be a whole number from 1, or none.')
  }
  return calls
}

// Not parsed to null at once: the parser of options takes that for "no value".
function rateLimitOf({ rateLimit }: SourceOptions): number | null | undefined {
  return rateLimit === 'none' ? null : rateLimit
}

function showList(command: Command, data: readonly Source[]): void {
  const output = outputOf(command)
  output.data({ data }, () =>
    data.length === 0
      ? 'No sources yet. Make one with `hookline sources create <name>`.'
      : table(output, COLUMNS, data),
  )
}

function show(command: Command, source: Source): void {
  const output = outputOf(command)
  output.data(source, () =>
    sheet(
      output,
      COLUMNS.map(({ head, cell }) => [head, cell(source)]),
    ),
  )
}

const COLUMNS = [
  { head: 'id', cell: ({ id }: Source) => id },
  { head: 'name', cell: ({ name }: Source) => name },
  { head: 'enabled', cell: ({ enabled }: Source) => (enabled ? 'yes' : 'no') },
  { head: 'rate limit', cell: (source: Source) => `${source.rateLimit ?? 'none'}` },
  {
    head: 'write keys',
    cell: ({ writeKeys }: Source) => writeKeys.map(({ key }) => key).join(' '),
  },
  { head: 'last used', cell: ({ writeKeys }: Source) => lastUseOf(writeKeys) },
]

/** The last use of any of the keys. Times as they are shown sort as they are. */
function lastUseOf(keys: Source['writeKeys']): string {
  return (
    keys
      .map(({ lastUsedAt }) => lastUsedAt ?? '')
      .toSorted()
      .at(-1) || 'never'
  )
}
