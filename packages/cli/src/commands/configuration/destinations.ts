import { type Command, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import type { Destination } from '../../api/generated/management-client.ts'
import { listItems } from '../../api/list-items.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { outputOf } from '../../output/output-of.ts'
import { table } from '../../output/table.ts'
import { addDestinationActions } from './destination-actions.ts'
import { destinationSheet } from '../../output/destination-sheet.ts'
import {
  addWebhookOptions,
  settingsOf,
  type WebhookOptions,
} from '../../options/webhook-options.ts'

type NewDestination = Parameters<ManagementApi['createDestination']>[0]

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
      await apiOf(command).removeDestination(id)
      outputOf(command).data({ id, deleted: true }, () => `Deleted ${id}.`)
    })
}

function addReading(destinations: Command): void {
  withApiOptions(destinations.command('list'))
    .description('list all destinations')
    .option('--source <id>', 'only those of this source')
    .action(async ({ source }: { source?: string }, command: Command) => {
      const api = apiOf(command)
      const filter = definedFields({ sourceId: source })
      const all = await listItems((page) => api.listDestinations({ ...filter, ...page }))
      showList(command, all)
    })

  withApiOptions(destinations.command('get <id>'))
    .description('show a destination')
    .action(async (id: string, _options: unknown, command: Command) => {
      show(command, await apiOf(command).getDestination(id))
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
      const given = definedFields({ name, enabled, settings: settingsOf(options) })
      // If there are no settings, the service says what to give.
      const body = { sourceId, type: 'Webhooks', ...given } as NewDestination
      show(command, await apiOf(command).createDestination(body))
    })

  addWebhookOptions(withApiOptions(destinations.command('update <id>')))
    .description('change what is given; given webhooks replace all')
    .addOption(nameOption())
    .action(async (id: string, options: WebhookOptions, command: Command) => {
      const change = definedFields({ name: options.name, settings: settingsOf(options) })
      show(command, await apiOf(command).changeDestination(id, change))
    })
}

function addSwitch(destinations: Command, verb: 'enable' | 'disable', description: string): void {
  withApiOptions(destinations.command(`${verb} <id>`))
    .description(description)
    .action(async (id: string, _options: unknown, command: Command) => {
      const change = { enabled: verb === 'enable' }
      show(command, await apiOf(command).changeDestination(id, change))
    })
}

function nameOption(): Option {
  return new Option('--name <name>', 'what to call it')
}

function showList(command: Command, data: readonly Destination[]): void {
  const output = outputOf(command)
  output.data({ data }, () =>
    data.length === 0
      ? 'No destinations. Make one with `hookline destinations create --source <id> --webhook <url>`.'
      : table(output, COLUMNS, data),
  )
}

function show(command: Command, destination: Destination): void {
  const output = outputOf(command)
  output.data(destination, () => destinationSheet(output, destination))
}

const COLUMNS = [
  { head: 'id', cell: ({ id }: Destination) => id },
  { head: 'name', cell: ({ name }: Destination) => name },
  { head: 'enabled', cell: ({ enabled }: Destination) => (enabled ? 'yes' : 'no') },
  { head: 'source', cell: ({ sourceId }: Destination) => sourceId },
  {
    head: 'webhooks',
    cell: ({ settings }: Destination) => settings.webhooks.map(({ url }) => url).join(' '),
  },
]
