import { type Command, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import type { DestinationShown } from '../../api/resources.ts'
import { outputOf } from '../../output/output-of.ts'
import { table } from '../../output/table.ts'
import { addDestinationActions } from './destination-actions.ts'
import { destinationSheet } from '../../output/destination-sheet.ts'
import {
  addWebhookOptions,
  settingsOf,
  type WebhookOptions,
} from '../../options/webhook-options.ts'

/** `hookline destinations …` */
export function addDestinations(program: Command): void {
  const destinations = program.command('destinations').description('where events of a source go')
  addReading(destinations)
  addMaking(destinations)
  addSwitch(destinations, 'enable', 'forward events from now on')
  addSwitch(destinations, 'disable', 'forward nothing until it is enabled again')
  addDestinationActions(destinations)
  withApiOptions(destinations.command('delete <id>'))
    .description('remove a destination')
    .action(async (id: string, _options: unknown, command: Command) => {
      await apiOf(command).delete(pathOf(id))
      outputOf(command).data({ id, deleted: true }, () => `Deleted ${id}.`)
    })
}

function addReading(destinations: Command): void {
  withApiOptions(destinations.command('list'))
    .description('list all destinations')
    .option('--source <id>', 'only those of this source')
    .action(async ({ source }: { source?: string }, command: Command) => {
      const query = source === undefined ? {} : { sourceId: source }
      showList(command, await apiOf(command).list<DestinationShown>('destinations', query))
    })

  withApiOptions(destinations.command('get <id>'))
    .description('show a destination')
    .action(async (id: string, _options: unknown, command: Command) => {
      show(command, await apiOf(command).get<DestinationShown>(pathOf(id)))
    })
}

function addMaking(destinations: Command): void {
  const create = withApiOptions(destinations.command('create'))
    .description('make a Webhooks destination, off unless --enabled is given')
    .requiredOption('--source <id>', 'the source whose events go there')
    .option('--enabled', 'forward events at once')
  addWebhookOptions(create)
    .addOption(nameOption())
    .action(async (options: WebhookOptions & { source: string }, command: Command) => {
      const { source: sourceId, name, enabled } = options
      const body = { sourceId, type: 'Webhooks', name, enabled, settings: settingsOf(options) }
      show(command, await apiOf(command).post<DestinationShown>('destinations', body))
    })

  addWebhookOptions(withApiOptions(destinations.command('update <id>')))
    .description('change what is given; given webhooks replace all')
    .addOption(nameOption())
    .action(async (id: string, options: WebhookOptions, command: Command) => {
      const change = { name: options.name, settings: settingsOf(options) }
      show(command, await apiOf(command).patch<DestinationShown>(pathOf(id), change))
    })
}

function addSwitch(destinations: Command, verb: 'enable' | 'disable', description: string): void {
  withApiOptions(destinations.command(`${verb} <id>`))
    .description(description)
    .action(async (id: string, _options: unknown, command: Command) => {
      const change = { enabled: verb === 'enable' }
      show(command, await apiOf(command).patch<DestinationShown>(pathOf(id), change))
    })
}

function nameOption(): Option {
  return new Option('--name <name>', 'what to call it')
}

function pathOf(id: string): string {
  return `destinations/${encodeURIComponent(id)}`
}

function showList(command: Command, data: readonly DestinationShown[]): void {
  const output = outputOf(command)
  output.data({ data }, () =>
    data.length === 0
      ? 'No destinations. Make one with `hookline destinations create --source <id> --webhook <url>`.'
      : table(output, COLUMNS, data),
  )
}

function show(command: Command, destination: DestinationShown): void {
  const output = outputOf(command)
  output.data(destination, () => destinationSheet(output, destination))
}

const COLUMNS = [
  { head: 'id', cell: ({ id }: DestinationShown) => id },
  { head: 'name', cell: ({ name }: DestinationShown) => name },
  { head: 'enabled', cell: ({ enabled }: DestinationShown) => (enabled ? 'yes' : 'no') },
  { head: 'source', cell: ({ sourceId }: DestinationShown) => sourceId },
  {
    head: 'webhooks',
    cell: ({ settings }: DestinationShown) => settings.webhooks.map(({ url }) => url).join(' '),
  },
]
