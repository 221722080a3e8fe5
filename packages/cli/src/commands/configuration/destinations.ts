import { SIGNATURES } from '@hookline/protocol'
import { Option } from 'commander'
import { idOf, optionalIdOf, requireKnown } from '../../api/find-id.ts'
import {
  type Limits,
  type WebhookPart,
  withCurrentConfiguration,
} from '../../api/configured-webhook.ts'
import type { Destination } from '../../api/generated/management-client.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { definedFields, type ManagementApi, unchangedSince } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import {
  type AuthenticatedWebhook,
  requestedWebhook,
  withAuthOptions,
} from '../../options/auth-options.ts'
import { confirm } from '../../options/confirmation.ts'
import { LIMIT_FLAGS, withLimitOptions, withLimits } from '../../options/limit-options.ts'
import { requireChange } from '../../options/require-change.ts'
import {
  type RoutingOptions,
  routingOf,
  withRoutingOptions,
  withRoutingRemovals,
} from '../../options/routing-options.ts'
import { secretIn, sharedSecretOf, withSecretOptions } from '../../options/secret-options.ts'
import { enabledIn, type SwitchOptions, withSwitch } from '../../options/switch-options.ts'
import { destinationDetails } from '../../output/deliveries/destination-details.ts'
import { healthText } from '../../output/deliveries/health-text.ts'
import { formatCount } from '../../output/figures.ts'
import { showList } from '../../output/list.ts'
import { nameColumns, type Names, sourceNames } from '../../output/names.ts'
import type { Column } from '../../output/table.ts'
import type { ApiCommand } from '../api-command.ts'
import { addDestinationActions, showDestination } from './destination-actions.ts'

type NewDestination = Parameters<ManagementApi['createDestination']>[0]

export function addDestinations(program: ApiCommand): void {
  const destinations = program
    .command('destinations')
    .description('manage destinations and their webhooks')
  addReadCommands(destinations)
  addChangeCommands(destinations)
  addDestinationActions(destinations)
  destinations
    .api('delete <id>', 'delete a destination')
    .confirmed()
    .runOn('destination', async ({ api, output, command }, id) => {
      await confirm(command, async () => {
        const { name, health } = await api.getDestination(id)
        return `This deletes the destination ${JSON.stringify(name)} (${id}) and drops its unfinished deliveries: ${formatCount(health.pending)} pending, ${formatCount(health.held)} held. Events are kept.`
      })
      await api.removeDestination(id)
      output.data({ id, deleted: true }, () => `Deleted ${id}.`)
    })
}

function addReadCommands(destinations: ApiCommand): void {
  destinations
    .api('list', 'list all destinations')
    .paged('short')
    .option('--source <id>', 'only destinations for this source')
    .run(async ({ api, output }, { source, ...part }: { source?: string } & ListPart) => {
      const filter = definedFields({ sourceId: await optionalIdOf(api, 'source', source) })
      const page = await listPart((next) => api.listDestinations({ ...filter, ...next }), part)
      if (page.data.length === 0) await requireKnown(api, filter)
      const names = await sourceNames(api, output)
      showList(output, columnsFor(page.data, names), page, NONE)
    })

  destinations
    .api('get <id>', 'show a destination, its health and its limits')
    .runOn('destination', async ({ api, output }, id) => {
      const destination = await api.getDestination(id)
      const sources = await sourceNames(api, output)
      output.data(destination, () =>
        [
          destinationDetails(output, destination, sources),
          healthText(output, destination, Date.now()),
        ].join('\n\n'),
      )
    })
}

function addChangeCommands(destinations: ApiCommand): void {
  const create = destinations
    .api('create', 'create a webhook destination')
    .requiredOption('--source <id>', 'source whose events the destination receives')
  addWebhookOptions(create, CREATE).run(
    async (context, options: WebhookOptions & { source: string }) => {
      const { source, name } = options
      const sourceId = await idOf(context.api, 'source', source)
      const enabled = enabledIn(options)
      const fields = definedFields({ name, enabled, settings: await settingsOf(options) })
      // Without settings, the service reports which ones it requires.
      const body = { sourceId, type: 'Webhooks', ...fields } as NewDestination
      showDestination(context, await context.api.createDestination(body))
    },
  )

  addWebhookOptions(
    destinations.api('update <id>', 'update a destination; --webhook replaces all webhooks'),
    UPDATE,
  ).run(async (context, idOrName: string, options: WebhookOptions) => {
    const { api } = context
    let read: Destination | undefined
    const readSettings = async (): Promise<Destination['settings']> => {
      read ??= await api.getDestination(await idOf(api, 'destination', idOrName))
      return read.settings
    }
    const settings = await settingsOf(options, readSettings)
    const change = definedFields({ name: options.name, enabled: enabledIn(options), settings })
    requireChange(context.command, change)
    const id = read?.id ?? (await idOf(api, 'destination', idOrName))
    showDestination(context, await api.changeDestination(id, change, unchangedSince(read)))
  })
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

interface WebhookOption extends AuthenticatedWebhook {
  limits?: Limits
  secret?: string
  /** The parts of its current configuration to remove. */
  readonly removed: Set<WebhookPart>
}

interface WebhookOptions extends RoutingOptions, SwitchOptions {
  readonly name?: string
  readonly webhook?: readonly WebhookOption[]
  readonly secret?: string | false
  readonly secretFile?: string
  readonly policy?: string
  /** `null`: removes the limits of each webhook. */
  readonly limitsOfEach?: Limits | null
  readonly signature?: string
}

/** The options that `create` and `update` describe differently. */
interface Variant {
  readonly disabled: string
  readonly noSecret: string
  /** The webhook that an option for limits applies to. */
  readonly limited: string
  readonly more: (command: ApiCommand, webhooks: readonly WebhookOption[]) => void
}

const CREATE: Variant = {
  disabled: 'forward nothing (the default)',
  noSecret: 'use no shared secret: requests are signed only with webhook secrets or a key pair',
  limited: 'the preceding --webhook',
  more: () => undefined,
}

const UPDATE: Variant = {
  disabled: 'forward nothing',
  noSecret: 'remove the shared secret: requests are signed only with webhook secrets or a key pair',
  limited: 'the preceding --webhook (or every webhook, if --webhook is not given)',
  more: withRemovals,
}

function addWebhookOptions(command: ApiCommand, variant: Variant): ApiCommand {
  const webhooks: WebhookOption[] = []
  const limitsFor = (): Limits => {
    const webhook = webhooks.at(-1)
    if (webhook !== undefined) return (webhook.limits ??= {})
    const { limitsOfEach = {} } = command.opts<WebhookOptions>()
    if (limitsOfEach === null) throw limitsConflict()
    command.setOptionValue('limitsOfEach', limitsOfEach)
    return limitsOfEach
  }
  withSwitch(command, 'forward new events', variant.disabled)
  withLimitOptions(withRoutingOptions(withSecretOptions(command)), limitsFor, variant.limited)
    .option('--no-secret', variant.noSecret)
    .option('--webhook <url>', 'webhook URL; repeat for up to 5', (url) => {
      webhooks.push({ url, headers: {}, auth: {}, removed: new Set() })
      return webhooks
    })
    .option('--header <name:value>', 'static header for the preceding --webhook', (text) => {
      addHeader(lastOf(webhooks, '--header'), text)
    })
  withAuthOptions(command, (option) => lastOf(webhooks, option))
    .option('--webhook-secret <text>', 'webhook secret for the preceding --webhook', (secret) => {
      lastOf(webhooks, '--webhook-secret').secret = secret
    })
    .option(
      '--webhook-secret-file <file>',
      'file that contains the webhook secret for the preceding --webhook',
      (file) => {
        lastOf(webhooks, '--webhook-secret-file').secret = secretIn(file)
      },
    )
    .addOption(
      new Option('--signature <kind>', 'sign requests with secrets, a key pair or both').choices(
        SIGNATURES,
      ),
    )
    .addOption(
      new Option('--policy <policy>', 'which webhooks must accept a delivery').choices([
        'any',
        'each',
      ]),
    )
    .option('--name <name>', 'name of the destination')
  variant.more(command, webhooks)
  return command
}

const REMOVALS: readonly (readonly [WebhookPart, flag: string, what: string])[] = [
  ['headers', '--no-headers', 'headers'],
  ['auth', '--no-auth', 'authentication'],
  ['secret', '--no-webhook-secret', 'webhook secret'],
  ['limits', '--no-limits', 'limits'],
]

/** Adds options that remove settings, and the configuration of the preceding --webhook. */
function withRemovals(command: ApiCommand, webhooks: readonly WebhookOption[]): void {
  withRoutingRemovals(command)
  for (const [part, flag, what] of REMOVALS) {
    const ofEach = part === 'limits' ? '; without --webhook, from each webhook' : ''
    const help = `remove the ${what} from the preceding --webhook${ofEach}`
    command.option(flag, help).on(`option:${flag.slice(2)}`, () => {
      if (part === 'limits' && webhooks.length === 0) removeAllLimits(command)
      else lastOf(webhooks, flag).removed.add(part)
    })
  }
}

function removeAllLimits(command: ApiCommand): void {
  if (command.opts<WebhookOptions>().limitsOfEach !== undefined) throw limitsConflict()
  command.setOptionValue('limitsOfEach', null)
}

function limitsConflict(): Failure {
  return new Failure('usage', `--no-limits conflicts with ${LIMIT_FLAGS}.`)
}

/** The settings from these options; `undefined` if there are none. */
async function settingsOf(
  options: WebhookOptions,
  readSettings?: () => Promise<Destination['settings']>,
): Promise<object | undefined> {
  const { secret, policy: successPolicy, signature } = options
  const sharedSecret = secret === false ? null : sharedSecretOf({ ...options, secret })
  const settings = {
    webhooks: await webhooksOf(options, readSettings),
    sharedSecret,
    signature,
    successPolicy,
    ...(await routingOf(options, async () => (await readSettings?.())?.fields ?? {})),
  }
  return Object.values(settings).every((value) => value === undefined) ? undefined : settings
}

/**
 * The webhooks from the options, with the current configuration of their URLs; or the current webhooks with new limits;
 * `undefined` without options for either.
 */
async function webhooksOf(
  { webhook: webhooks, limitsOfEach }: WebhookOptions,
  readSettings?: () => Promise<Destination['settings']>,
): Promise<readonly object[] | undefined> {
  if (webhooks === undefined && limitsOfEach === undefined) return undefined
  if (limitsOfEach !== undefined && (webhooks !== undefined || readSettings === undefined))
    throw new Failure(
      'usage',
      limitsOfEach === null
        ? '--no-limits must come after its --webhook.'
        : `${LIMIT_FLAGS} must come after their --webhook.`,
    )
  const requested = await Promise.all(
    (webhooks ?? []).map(async ({ removed, ...webhook }) => ({
      removed,
      webhook: await requestedWebhook(webhook),
    })),
  )
  const current = (await readSettings?.())?.webhooks ?? []
  if (limitsOfEach !== undefined) return withLimits(current, limitsOfEach)
  return requested.map(({ webhook, removed }) =>
    withCurrentConfiguration(webhook, current, removed),
  )
}

function lastOf(webhooks: readonly WebhookOption[], option: string): WebhookOption {
  const webhook = webhooks.at(-1)
  if (webhook !== undefined) return webhook
  throw new Failure('usage', `${option} must come after its --webhook.`)
}

function addHeader(webhook: WebhookOption, text: string): void {
  const colon = text.indexOf(':')
  // The message does not quote the value, which is a secret.
  if (colon < 1) throw new Failure('usage', '--header must have the format "name: value".')
  webhook.headers[text.slice(0, colon).trim()] = text.slice(colon + 1).trim()
}
