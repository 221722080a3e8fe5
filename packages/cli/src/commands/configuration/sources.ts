import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { idOf } from '../../api/find-id.ts'
import type { Source } from '../../api/generated/management-client.ts'
import { listItems, type ListPart, listPart } from '../../api/list-items.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { requireChange } from '../../options/require-change.ts'
import { Failure } from '../../failure.ts'
import { confirm, withYesOption } from '../../options/confirmation.ts'
import { wholeNumber } from '../../options/whole-number.ts'
import { shortList } from '../../output/figures.ts'
import { outputOf } from '../../output/output.ts'
import { showItem, showList } from '../../output/list.ts'
import type { Column } from '../../output/table.ts'
import { withListOptions } from '../../options/list-options.ts'

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

  withListOptions(withApiOptions(sources.command('list')))
    .description('list all sources')
    .action(async (part: ListPart, command: Command) => {
      const all = await listPart(apiOf(command).listSources, part)
      const none = 'No sources. Create one with `hookline sources create <name>`.'
      showList(outputOf(command), COLUMNS, all, none)
    })

  withApiOptions(sources.command('get <id>'))
    .description('show a source')
    .action(async (id: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      show(command, await api.getSource(await idOf(api, 'source', id)))
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
      requireChange(command, change)
      const api = apiOf(command)
      show(command, await api.changeSource(await idOf(api, 'source', id), change))
    })

  addKeyCommands(sources)

  withYesOption(withApiOptions(sources.command('delete <id>')))
    .description('delete a source and its destinations')
    .action(async (given: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      const id = await idOf(api, 'source', given)
      await confirm(command, () => deletionEffect(api, id))
      await api.removeSource(id)
      outputOf(command).data({ id, deleted: true }, () => `Deleted ${id}.`)
    })
}

async function deletionEffect(api: ManagementApi, id: string): Promise<string> {
  const { name, writeKeys } = await api.getSource(id)
  const destinations = await listItems((page) => api.listDestinations({ sourceId: id, ...page }))
  const names = destinations.map((each) => JSON.stringify(each.name))
  return [
    `This deletes the source ${JSON.stringify(name)} (${id}).`,
    `Calls with its write keys are refused: it has ${writeKeys.length}.`,
    names.length === 0
      ? 'It has no destinations.'
      : `Its destinations are deleted too (${shortList(names)}), and what waits for them is not delivered.`,
  ].join(' ')
}

function addKeyCommands(sources: Command): void {
  withApiOptions(sources.command('add-key <id>'))
    .description('create another write key; the others stay valid')
    .action(async (given: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      const created = await api.addWriteKey(await idOf(api, 'source', given), {})
      outputOf(command).data(created, () => created.key)
    })

  withYesOption(withApiOptions(sources.command('remove-key <id> <key>')))
    .description('delete a write key; calls with it are refused from now on')
    .action(async (given: string, key: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      const id = await idOf(api, 'source', given)
      const { name, writeKeys } = await api.getSource(id)
      // `..` in place of a key would name the source.
      if (!writeKeys.some((each) => each.key === key))
        throw new Failure(
          'not found',
          `The source ${JSON.stringify(name)} (${id}) has no such write key.`,
        )
      const effect = `This deletes a write key of the source ${JSON.stringify(name)} (${id}). Calls with the key are refused.`
      await confirm(command, () => effect)
      await api.removeWriteKey(id, key)
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

const COLUMNS: readonly Column<Source>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'name', cell: ({ name }) => name, long: 'cut' },
  { head: 'enabled', cell: ({ enabled }) => (enabled ? 'yes' : 'no'), rank: 1 },
  { head: 'rate limit', cell: ({ rateLimit }) => `${rateLimit ?? 'none'}`, rank: 4 },
  { head: 'space', cell: ({ space }) => space, long: 'cut', rank: 3 },
  { head: 'write keys', cell: ({ writeKeys }) => writeKeys.map(({ key }) => key).join(' ') },
  { head: 'last used', cell: ({ writeKeys }) => lastUseOf(writeKeys), isTime: true, rank: 2 },
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
