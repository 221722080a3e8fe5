import type { Fields } from '@hookline/protocol'
import { idOf } from '../../api/find-id.ts'
import type { Source } from '../../api/generated/management-client.ts'
import { listItems, type ListPart, listPart } from '../../api/list-items.ts'
import { definedFields, type ManagementApi, unchangedSince } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { confirm } from '../../options/confirmation.ts'
import { type FieldOptions, fieldsOf, withFieldOptions } from '../../options/routing-options.ts'
import { requireChange } from '../../options/require-change.ts'
import { enabledIn, type SwitchOptions, withSwitch } from '../../options/switch-options.ts'
import { wholeNumber } from '../../options/whole-number.ts'
import { countText, shortList } from '../../output/figures.ts'
import { fieldsText } from '../../output/deliveries/destination-details.ts'
import { showItem, showList } from '../../output/list.ts'
import type { Column } from '../../output/table.ts'
import type { ApiCommand } from '../api-command.ts'

interface SourceOptions extends FieldOptions, SwitchOptions {
  readonly name?: string
  readonly rateLimit?: number | 'none'
  readonly space?: string
}

const NONE = 'No sources. Create one with `hookline sources create <name>`.'

export function addSources(program: ApiCommand): void {
  const sources = program.command('sources').description('manage sources and their write keys')

  sources
    .api('list', 'list all sources')
    .paged('short')
    .run(async ({ api, output }, part: ListPart) =>
      showList(output, COLUMNS, await listPart(api.listSources, part), NONE),
    )

  sources
    .api('get <id>', 'show a source')
    .runOn('source', async ({ api, output }, id) =>
      showItem(output, DETAILS, await api.getSource(id)),
    )

  const create = sources.api('create <name>', 'create a source with a write key')
  withSwitch(withFieldOptions(create), 'accept calls (the default)', 'reject all calls')
    .option('--rate-limit <calls>', 'maximum calls per second', parseRateLimit)
    .option('--space <space>', 'space for the profiles (default: "default")')
    .run(async ({ api, output }, name: string, options: SourceOptions) => {
      const { space } = options
      const limits = { rateLimit: rateLimitOf(options), fields: await fieldsOf(options) }
      const body = definedFields({ name, enabled: enabledIn(options), space, ...limits })
      showItem(output, DETAILS, await api.createSource(body))
    })

  const update = sources.api('update <id>', 'update a source')
  withSwitch(withFieldOptions(update), 'accept calls', 'reject all calls')
    .option('--no-fields', 'store all fields unchanged')
    .option('--name <name>', 'new name of the source')
    .option('--rate-limit <calls>', 'maximum calls per second; "none" for no limit', parseRateLimit)
    .option('--space <space>', 'space for the profiles; applies to new events')
    .run(async (context, idOrName: string, options: SourceOptions) => {
      const { name, space } = options
      const { api, output } = context
      let read: Source | undefined
      const readFields = async (): Promise<Partial<Fields>> => {
        read = await api.getSource(await idOf(api, 'source', idOrName))
        return read.fields ?? {}
      }
      const fields = await fieldsOf(options, readFields)
      const change = definedFields({
        name,
        enabled: enabledIn(options),
        space,
        rateLimit: rateLimitOf(options),
        fields,
      })
      requireChange(context.command, change)
      const id = read?.id ?? (await idOf(api, 'source', idOrName))
      showItem(output, DETAILS, await api.changeSource(id, change, unchangedSince(read)))
    })

  addKeyCommands(sources)

  sources
    .api('delete <id>', 'delete a source and its destinations')
    .confirmed()
    .runOn('source', async ({ api, output, command }, id) => {
      await confirm(command, () => deletionEffect(api, id))
      await api.removeSource(id)
      output.data({ id, deleted: true }, () => `Deleted ${id}.`)
    })
}

async function deletionEffect(api: ManagementApi, id: string): Promise<string> {
  const { name, writeKeys } = await api.getSource(id)
  const destinations = await listItems((page) => api.listDestinations({ sourceId: id, ...page }))
  const names = destinations.map((each) => JSON.stringify(each.name))
  const keys = `This deletes the source ${JSON.stringify(name)} (${id}) and its ${countText(writeKeys.length, 'write key')}.`
  return names.length === 0
    ? `${keys} It has no destinations.`
    : `${keys} This also deletes ${names.length === 1 ? 'its destination' : 'its destinations'} (${shortList(names)}) and drops ${names.length === 1 ? 'its' : 'their'} unfinished deliveries. Events are kept.`
}

function addKeyCommands(sources: ApiCommand): void {
  sources
    .api('add-key <id>', 'create another write key')
    .runOn('source', async ({ api, output }, id) => {
      const created = await api.addWriteKey(id, {})
      output.data(created, () => created.key)
    })

  sources
    .api('remove-key <id> <key>', 'delete a write key')
    .confirmed()
    .runOn('source', async ({ api, output, command }, id, key: string) => {
      const { name, writeKeys } = await api.getSource(id)
      const source = `${JSON.stringify(name)} (${id})`
      // The key `..` in the path would address the source itself.
      if (!writeKeys.some((each) => each.key === key))
        throw new Failure('not found', `The source ${source} has no such write key.`)
      await confirm(command, () => `This deletes a write key of the source ${source}.`)
      await api.removeWriteKey(id, key)
      output.data({ id, key, deleted: true }, () => `Deleted ${key}.`)
    })
}

function parseRateLimit(text: string): number | 'none' {
  return text === 'none' ? text : wholeNumber(1)(text)
}

// `none` becomes null only here: commander treats null as "no value".
function rateLimitOf({ rateLimit }: SourceOptions): number | null | undefined {
  return rateLimit === 'none' ? null : rateLimit
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

const DETAILS: readonly Column<Source>[] = [
  ...COLUMNS,
  { head: 'fields', cell: ({ fields }) => (fields ? fieldsText(fields) : 'all') },
]

/** The most recent use of any of the keys. ISO 8601 times in UTC sort as text. */
function lastUseOf(keys: Source['writeKeys']): string {
  const times = keys.map(({ lastUsedAt }) => lastUsedAt ?? '').toSorted()
  return times.at(-1) || 'never'
}
