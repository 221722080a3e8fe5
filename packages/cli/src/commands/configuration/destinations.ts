import { type Command, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import type { Destination } from '../../api/generated/management-client.ts'
import { listItems } from '../../api/list-items.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { outputOf } from '../../output/output.ts'
import { showList } from '../../output/table.ts'
import { addDestinationActions } from './destination-actions.ts'
import { destinationDetails } from '../../output/destination-details.ts'
import { healthText } from '../../output/health-text.ts'
import {
  addWebhookOptions,
  settingsOf,
  type WebhookOptions,
} from '../../options/webhook-options.ts'

type NewDestination = Parameters<ManagementApi['createDestination']>[0]

/** `hookline destinations …` */
export function addDestinations(program: Command): void {
  const destinations = program
    .command('destinations')
    .description('where the events of a source are delivered')
  addReading(destinations)
  addMaking(destinations)
  addSwitch(destinations, 'enable', 'forward new events')
  addSwitch(destinations, 'disable', 'stop forwarding events until it is enabled again')
  addDestinationActions(destinations)
  withApiOptions(destinations.command('delete <id>'))
    .description('delete a destination')
    .action(async (id: string, _options: unknown, command: Command) => {
      await apiOf(command).removeDestination(id)
      outputOf(command).data({ id, deleted: true }, () => `Deleted ${id}.`)
    })
}

function addReading(destinations: Command): void {
  withApiOptions(destinations.command('list'))
    .description('list all destinations')
    .option('--source <id>', 'only destinations of this source')
    .action(async ({ source }: { source?: string }, command: Command) => {
      const api = apiOf(command)
      const filter = definedFields({ sourceId: source })
      const all = await listItems((page) => api.listDestinations({ ...filter, ...page }))
      showList(outputOf(command), COLUMNS, all, NONE)
    })

  withApiOptions(destinations.command('get <id>'))
    .description('show a destination, and the health of its webhooks')
    .action(async (id: string, _options: unknown, command: Command) => {
      const destination = await apiOf(command).getDestination(id)
      const output = outputOf(command)
      output.data(destination, () =>
        [
          destinationDetails(output, destination),
          healthText(output, destination.health, Date.now()),
        ].join('\n\n'),
      )
    })
}

function addMaking(destinations: Command): void {
  const create = withApiOptions(destinations.command('create'))
    .description('create a Webhooks destination, disabled unless --enabled is given')
    .requiredOption('--source <id>', 'the source whose events it receives')
    .option('--enabled', 'enable it: forward new events at once')
  addWebhookOptions(create)
    .addOption(nameOption())
    .action(async (options: WebhookOptions & { source: string }, command: Command) => {
      const { source: sourceId, name, enabled } = options
      const given = definedFields({ name, enabled, settings: settingsOf(options) })
      // Without settings, the service reports which ones it requires.
      const body = { sourceId, type: 'Webhooks', ...given } as NewDestination
      show(command, await apiOf(command).createDestination(body))
    })

  addWebhookOptions(withApiOptions(destinations.command('update <id>')))
    .description('change the given fields; the given webhooks replace all others')
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
  return new Option('--name <name>', 'name of the destination')
}

function show(command: Command, destination: Destination): void {
  const output = outputOf(command)
  output.data(destination, () => destinationDetails(output, destination))
}

const NONE =
  'No destinations. Create one with `hookline destinations create --source <id> --webhook <url>`.'

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
