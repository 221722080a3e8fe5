import { type Command, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { idOf, optionalIdOf } from '../../api/find-id.ts'
import type { Destination } from '../../api/generated/management-client.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { nameColumns, type Names, sourceNames } from '../../output/names.ts'
import { requireKnown } from '../../api/require-known.ts'
import { requireChange } from '../../options/require-change.ts'
import { confirm, withYesOption } from '../../options/confirmation.ts'
import { grouped } from '../../output/figures.ts'
import { outputOf } from '../../output/output.ts'
import { noteWarnings } from '../../output/warnings.ts'
import { showList } from '../../output/list.ts'
import type { Column } from '../../output/table.ts'
import { withListOptions } from '../../options/list-options.ts'
import { addDestinationActions } from './destination-actions.ts'
import { destinationDetails } from '../../output/deliveries/destination-details.ts'
import { healthText } from '../../output/deliveries/health-text.ts'
import { Failure } from '../../failure.ts'
import { sharedSecretOf, withSecretOptions } from '../../options/secret-options.ts'

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
  withYesOption(withApiOptions(destinations.command('delete <id>')))
    .description('delete a destination')
    .action(async (given: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      const id = await idOf(api, 'destination', given)
      await confirm(command, async () => {
        const { name, health } = await api.getDestination(id)
        return `This deletes the destination ${JSON.stringify(name)} (${id}). What waits for it is not delivered: ${grouped(health.pending)} pending, ${grouped(health.held)} held.`
      })
      await api.removeDestination(id)
      outputOf(command).data({ id, deleted: true }, () => `Deleted ${id}.`)
    })
}

function addReading(destinations: Command): void {
  withListOptions(withApiOptions(destinations.command('list')))
    .description('list all destinations')
    .option('--source <id>', 'only destinations of this source')
    .action(async ({ source, ...part }: { source?: string } & ListPart, command: Command) => {
      const api = apiOf(command)
      const output = outputOf(command)
      const filter = definedFields({ sourceId: await optionalIdOf(api, 'source', source) })
      const page = await listPart((next) => api.listDestinations({ ...filter, ...next }), part)
      if (page.data.length === 0) await requireKnown(api, filter)
      const names = await sourceNames(api, output)
      showList(output, columnsFor(page.data, names), page, NONE)
    })

  withApiOptions(destinations.command('get <id>'))
    .description('show a destination, and the health of its webhooks')
    .action(async (id: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      const destination = await api.getDestination(await idOf(api, 'destination', id))
      const output = outputOf(command)
      const sources = await sourceNames(api, output)
      output.data(destination, () =>
        [
          destinationDetails(output, destination, sources),
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
      const { source, name, enabled } = options
      const api = apiOf(command)
      const sourceId = await idOf(api, 'source', source)
      const given = definedFields({ name, enabled, settings: settingsOf(options) })
      // Without settings, the service reports which ones it requires.
      const body = { sourceId, type: 'Webhooks', ...given } as NewDestination
      show(command, await api.createDestination(body))
    })

  addWebhookOptions(withApiOptions(destinations.command('update <id>')))
    .description('change the given fields; the given webhooks replace all others')
    .addOption(nameOption())
    .action(async (id: string, options: WebhookOptions, command: Command) => {
      const change = definedFields({ name: options.name, settings: settingsOf(options) })
      requireChange(command, change)
      const api = apiOf(command)
      show(command, await api.changeDestination(await idOf(api, 'destination', id), change))
    })
}

function addSwitch(destinations: Command, verb: 'enable' | 'disable', description: string): void {
  withApiOptions(destinations.command(`${verb} <id>`))
    .description(description)
    .action(async (id: string, _options: unknown, command: Command) => {
      const change = { enabled: verb === 'enable' }
      const api = apiOf(command)
      show(command, await api.changeDestination(await idOf(api, 'destination', id), change))
    })
}

function nameOption(): Option {
  return new Option('--name <name>', 'name of the destination')
}

function show(command: Command, destination: Destination): void {
  const output = outputOf(command)
  const { warnings, ...shown } = destination
  output.data(destination, () => destinationDetails(output, shown))
  noteWarnings(output, warnings)
}

const NONE =
  'No destinations. Create one with `hookline destinations create --source <id> --webhook <url>`.'

function columnsFor(items: readonly Destination[], names: Names): Column<Destination>[] {
  return [
    { head: 'id', cell: ({ id }) => id },
    { head: 'name', cell: ({ name }) => name, long: 'cut' },
    { head: 'state', cell: stateOf },
    ...nameColumns('source', ({ sourceId }: Destination) => sourceId, { names, items }),
    {
      head: 'webhooks',
      cell: ({ settings }) => settings.webhooks.map(({ url }) => url).join(' '),
      long: 'cut',
      rank: 1,
    },
  ]
}

function stateOf({ enabled, paused }: Destination): string {
  if (!enabled) return 'disabled'
  return paused === null ? 'enabled' : 'paused'
}

interface WebhookOption {
  readonly url: string
  readonly headers: Record<string, string>
}

interface WebhookOptions {
  readonly name?: string
  readonly enabled?: true
  readonly webhook?: readonly WebhookOption[]
  readonly secret?: string | false
  readonly secretFile?: string
  readonly policy?: string
}

/** Gives a command the options for the settings of a Webhooks destination. */
function addWebhookOptions(command: Command): Command {
  const webhooks: WebhookOption[] = []
  return withSecretOptions(command)
    .option('--no-secret', 'send requests without a signature')
    .option('--webhook <url>', 'URL that receives the events; give up to 5', (url) => {
      webhooks.push({ url, headers: {} })
      return webhooks
    })
    .option('--header <name:value>', 'static header for the --webhook before it', (text) => {
      addHeader(webhooks.at(-1), text)
    })
    .addOption(
      new Option(
        '--policy <policy>',
        'a delivery is done when any webhook, or each one, accepts it',
      ).choices(['any', 'each']),
    )
}

/** The settings of those options; `undefined` without any. */
function settingsOf(options: WebhookOptions): object | undefined {
  const { webhook: webhooks, secret, policy: successPolicy } = options
  const sharedSecret = secret === false ? null : sharedSecretOf({ ...options, secret })
  const settings = { webhooks, sharedSecret, successPolicy }
  return Object.values(settings).every((value) => value === undefined) ? undefined : settings
}

function addHeader(webhook: WebhookOption | undefined, text: string): void {
  const colon = text.indexOf(':')
  // The messages quote no value: header values are secrets.
  if (webhook === undefined)
    throw new Failure('usage', 'Give --header after the --webhook that it belongs to.')
  if (colon < 1) throw new Failure('usage', '--header must have the form "name: value".')
  webhook.headers[text.slice(0, colon).trim()] = text.slice(colon + 1).trim()
}
