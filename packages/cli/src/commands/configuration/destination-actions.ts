import { EVENT_TYPES } from '@hookline/protocol'
import { type Command, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { idOf } from '../../api/find-id.ts'
import type { Destination } from '../../api/generated/management-client.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { type Output, outputOf } from '../../output/output.ts'
import { noteWarnings } from '../../output/warnings.ts'
import { destinationDetails } from '../../output/deliveries/destination-details.ts'
import {
  type SecretOptions,
  sharedSecretOf,
  withSecretOptions,
} from '../../options/secret-options.ts'
import { wholeHours } from '../../options/time-options.ts'
import { attemptLines } from '../../output/deliveries/attempt-line.ts'
import { printable } from '../../output/safe-text.ts'

const ACTIONS = {
  pause: 'hold deliveries until the destination is resumed',
  resume: 'end the pause of a destination and its webhooks; held deliveries are sent',
  'close-breaker':
    'make the next attempts now, whatever the breakers and Retry-After of the webhooks say',
} as const

type Verb = keyof typeof ACTIONS

const OPERATIONS = {
  pause: 'pauseDestination',
  resume: 'resumeDestination',
  'close-breaker': 'closeBreaker',
} as const satisfies Record<Verb, keyof ManagementApi>

/** `hookline destinations pause|resume|close-breaker|test|rotate-secret` */
export function addDestinationActions(destinations: Command): void {
  for (const [verb, description] of Object.entries(ACTIONS) as [Verb, string][])
    withApiOptions(destinations.command(`${verb} <id>`))
      .description(description)
      .action(async (id: string, _options: unknown, command: Command) => {
        const api = apiOf(command)
        show(command, await api[OPERATIONS[verb]](await idOf(api, 'destination', id), {}))
      })
  addTest(destinations)
  addRotation(destinations)
}

type TestType = NonNullable<Parameters<ManagementApi['testDestination']>[1]['type']>

interface TestOptions {
  readonly type?: TestType
  readonly event?: string
  readonly dryRun?: true
}

function addTest(destinations: Command): void {
  withApiOptions(destinations.command('test <id>'))
    .description(
      'send a test delivery to each webhook, even of a disabled destination, and show the responses',
    )
    .addOption(
      new Option('--type <type>', 'send a sample of this type; the default is track')
        .choices([...EVENT_TYPES, 'delete'])
        .conflicts('event'),
    )
    .option('--event <id>', 'send this event of its source, by its evt_… id')
    .option('--dry-run', 'show what would be sent, but send nothing')
    .action(async (id: string, { type, event, dryRun }: TestOptions, command: Command) => {
      const sample = event === undefined ? (type ?? 'track') : type
      const body = definedFields({ type: sample, eventId: event, dryRun })
      const api = apiOf(command)
      const result = await api.testDestination(await idOf(api, 'destination', id), body)
      const output = outputOf(command)
      output.data(result, () => testDeliveryText(output, result))
      noteWarnings(output, result.warnings)
      const failed = result.webhooks.filter(
        ({ attempt }) => attempt !== null && attempt.outcome !== 'delivered',
      )
      if (failed.length === 0) return
      const meaning = failed.length < result.webhooks.length ? 'partial' : 'failed'
      const total = result.webhooks.length
      throw new Failure(
        meaning,
        `${failed.length} of ${total} webhooks did not accept the test delivery.`,
      )
    })
}

function addRotation(destinations: Command): void {
  withSecretOptions(withApiOptions(destinations.command('rotate-secret <id>')))
    .description('replace the shared secret; for a time, requests have signatures with both')
    .option(
      '--overlap <time>',
      'how long the old secret signs too, up to 7d; the default is 24h',
      wholeHours,
    )
    .action(async (id: string, options: SecretOptions & { overlap?: number }, command: Command) => {
      const secret = sharedSecretOf(options)
      if (secret === undefined)
        throw new Failure('usage', 'Give the new shared secret with --secret or --secret-file.')
      const body = definedFields({ secret, overlapHours: options.overlap })
      const api = apiOf(command)
      show(command, await api.rotateSecret(await idOf(api, 'destination', id), body))
    })
}

function show(command: Command, destination: Destination): void {
  const output = outputOf(command)
  const { warnings, ...shown } = destination
  output.data(destination, () => destinationDetails(output, shown))
  noteWarnings(output, warnings)
}

type TestDelivery = Awaited<ReturnType<ManagementApi['testDestination']>>

/** A test delivery, for people: what each webhook was sent, and how it responded. */
function testDeliveryText(output: Output, { webhooks }: TestDelivery): string {
  return webhooks.map((each) => webhookText(output, each)).join('\n\n')
}

function webhookText(
  output: Output,
  { url, request, attempt }: TestDelivery['webhooks'][number],
): string {
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  const sent = [`POST ${url}`, ...headers, '', request.body].map((line) => `  ${printable(line)}`)
  if (attempt === null) return [output.style('bold', 'would be sent'), ...sent].join('\n')
  return [...sent, ...attemptLines(output, { number: 1, url, ...attempt })].join('\n')
}
