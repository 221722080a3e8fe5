import { EVENT_TYPES } from '@hookline/protocol'
import { Option } from 'commander'
import { idOf } from '../../api/find-id.ts'
import type { Destination } from '../../api/generated/management-client.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import {
  type SecretOptions,
  sharedSecretOf,
  withSecretOptions,
} from '../../options/secret-options.ts'
import {
  filterOf,
  type FilterOptions,
  transformOf,
  withFilterOptions,
} from '../../options/routing-options.ts'
import { wholeHours } from '../../options/time-options.ts'
import { wholeNumber } from '../../options/whole-number.ts'
import { attemptLines } from '../../output/deliveries/attempt-line.ts'
import { destinationDetails } from '../../output/deliveries/destination-details.ts'
import { countText, formatCount } from '../../output/figures.ts'
import type { Output } from '../../output/output.ts'
import { printableText } from '../../output/safe-text.ts'
import { type Column, table } from '../../output/table.ts'
import { noteWarnings } from '../../output/warnings.ts'
import type { ApiCommand, Context } from '../api-command.ts'

type Action = (api: ManagementApi, id: string) => Promise<Destination>

const ACTIONS: Readonly<Record<string, readonly [description: string, act: Action]>> = {
  enable: ['enable a destination', (api, id) => api.changeDestination(id, { enabled: true })],
  disable: ['disable a destination', (api, id) => api.changeDestination(id, { enabled: false })],
  pause: [
    'hold deliveries until the destination is resumed',
    (api, id) => api.pauseDestination(id, {}),
  ],
  resume: [
    'resume a destination and its webhooks, and send held deliveries',
    (api, id) => api.resumeDestination(id, {}),
  ],
  'close-breaker': [
    'close the breakers of a destination and retry immediately',
    (api, id) => api.closeBreaker(id, {}),
  ],
}

export function addDestinationActions(destinations: ApiCommand): void {
  for (const [verb, [description, act]] of Object.entries(ACTIONS))
    destinations
      .api(`${verb} <id>`, description)
      .runOn('destination', async (context, id) =>
        showDestination(context, await act(context.api, id)),
      )
  addFilterPreview(destinations)
  addTest(destinations)
  addRotation(destinations)
  addKeyRotation(destinations)
}

export function showDestination({ output }: Context, destination: Destination): void {
  const { warnings, ...shown } = destination
  output.data(destination, () => destinationDetails(output, shown))
  noteWarnings(output, warnings)
}

function addFilterPreview(destinations: ApiCommand): void {
  withFilterOptions(
    destinations.api('filter-preview <id>', 'show which recent events a filter selects'),
  )
    .option(
      '--last <number>',
      'how many events to examine, up to 1000 (default: 1000)',
      wholeNumber(1, 1_000),
    )
    .runOn('destination', async ({ api, output }, id, options: PreviewOptions) => {
      const filter = (await filterOf(options)) ?? undefined
      const preview = await api.previewFilter(id, definedFields({ filter, last: options.last }))
      output.data(preview, () => filterPreviewText(output, preview))
    })
}

interface PreviewOptions extends FilterOptions {
  readonly last?: number
}

type Preview = Awaited<ReturnType<ManagementApi['previewFilter']>>

const PREVIEW_COLUMNS: Column<Preview['byName'][number]>[] = [
  { head: 'type', cell: ({ type }) => type },
  { head: 'event', cell: ({ event }) => event ?? '', long: 'cut' },
  { head: 'selected', cell: ({ selected }) => formatCount(selected) },
  { head: 'of', cell: ({ examined }) => formatCount(examined) },
]

function filterPreviewText(output: Output, preview: Preview): string {
  const { examined, selected, byName, excludedExamples } = preview
  if (examined === 0) return 'The source has no events.'
  const excluded = excludedExamples.map(({ id, type, event, reasons }) =>
    printableText(`  ${id}  ${event ?? type}  ${reasons.join('; ')}`),
  )
  return [
    output.style(
      'bold',
      `Selects ${formatCount(selected)} of ${countText(examined, 'recent event')}`,
    ),
    '',
    table(output, PREVIEW_COLUMNS, byName),
    ...(excluded.length > 0 ? ['', 'Latest excluded events:', ...excluded] : []),
  ].join('\n')
}

interface TestOptions {
  readonly type?: NonNullable<Parameters<ManagementApi['testDestination']>[1]['type']>
  readonly event?: string
  readonly dryRun?: true
  readonly transform?: string
}

function addTest(destinations: ApiCommand): void {
  destinations
    .api('test <id>', 'send a test delivery to each webhook')
    .addOption(
      new Option('--type <type>', 'send a sample of this type; default: track')
        .choices([...EVENT_TYPES, 'delete'])
        .conflicts('event'),
    )
    .option('--event <id>', 'send this stored event instead of a sample')
    .option('--dry-run', 'show the payload and the requests, without sending them')
    .option('--transform <file>', 'with --dry-run: try this transform instead of the current one')
    .runOn('destination', async ({ api, output }, id, options: TestOptions) => {
      const { type, event, dryRun } = options
      const sample = event === undefined ? (type ?? 'track') : type
      const transform = options.transform && (await transformOf(options.transform))
      const body = definedFields({ type: sample, eventId: event, dryRun, transform })
      const result = await api.testDestination(id, body)
      showTest(output, result, dryRun === true ? stepsOf(output, result) : [])
    })
}

function addRotation(destinations: ApiCommand): void {
  withSecretOptions(
    destinations.api('rotate-secret <id>', 'replace a secret'),
    'new secret',
    'new secret',
  )
    .option(
      '--webhook <url>',
      'set the webhook secret of this webhook; default: replace the shared secret',
    )
    .option(
      '--overlap <time>',
      'how long requests are also signed with the old secret, up to 7d; default: 24h',
      wholeHours,
    )
    .option('--force', FORCE)
    .run(async (context, idOrName: string, options: RotationOptions) => {
      const secret = sharedSecretOf(options)
      if (secret === undefined)
        throw new Failure('usage', 'Pass the new secret with --secret or --secret-file.')
      const { webhook: url, overlap: overlapHours, force } = options
      const body = definedFields({ secret, url, overlapHours, force })
      const { api } = context
      const id = await idOf(api, 'destination', idOrName)
      showDestination(context, await api.rotateSecret(id, body))
    })
}

const FORCE = 'rotate even during another rotation, for example because a secret or key has leaked'

interface RotationOptions extends SecretOptions {
  readonly webhook?: string
  readonly overlap?: number
  readonly force?: boolean
}

interface KeyRotationOptions extends Pick<RotationOptions, 'overlap' | 'force'> {
  readonly lead?: number
}

function addKeyRotation(destinations: ApiCommand): void {
  destinations
    .api('rotate-key <id>', 'generate the next Ed25519 key pair')
    .option(
      '--lead <time>',
      'how long the new public key is published before the new key signs requests, up to 7d; default: 24h',
      wholeHours,
    )
    .option(
      '--overlap <time>',
      'how long requests are also signed with the old key, up to 7d; default: 24h',
      wholeHours,
    )
    .option('--force', FORCE)
    .runOn('destination', async (context, id, options: KeyRotationOptions) => {
      const { lead: leadHours, overlap: overlapHours, force } = options
      const body = definedFields({ leadHours, overlapHours, force })
      showDestination(context, await context.api.rotateSigningKey(id, body))
    })
}

type TestResult = Awaited<ReturnType<ManagementApi['testDestination']>>
type TestedWebhook = TestResult['webhooks'][number]

const SUCCESSFUL: ReadonlySet<string> = new Set(['delivered', 'declined'])

/** Shows the requests and responses in a test delivery. @throws {Failure} if a webhook did not accept it */
export function showTest(output: Output, result: TestResult, steps: readonly string[] = []): void {
  output.data(result, () =>
    [...steps, ...result.webhooks.map((each) => webhookText(output, each))].join('\n\n'),
  )
  noteWarnings(output, result.warnings)
  const total = result.webhooks.length
  const failed = result.webhooks.filter(
    ({ attempt }) => attempt !== null && !SUCCESSFUL.has(attempt.outcome),
  ).length
  if (failed === 0) return
  const message = `${failed} of ${countText(total, 'webhook')} did not accept the test delivery.`
  throw new Failure(failed < total ? 'partial' : 'failed', message)
}

/** The payload before each step that changes it. The final payload is in the request. */
function stepsOf(
  output: Output,
  { stored, formatted, precisionLost, webhooks }: TestResult,
): string[] {
  const step = (title: string, body: string): string =>
    [output.style('bold', title), `  ${printableText(body)}`].join('\n')
  const sent = webhooks[0]?.request?.body
  return [
    ...(stored === sent ? [] : [step('stored payload', stored)]),
    ...(formatted === stored || formatted === sent
      ? []
      : [step('before the transform', formatted)]),
    ...(precisionLost === undefined
      ? []
      : [step('numbers passed to the transform as text', precisionLost.join(', '))]),
  ]
}

function webhookText(output: Output, { url, request, attempt }: TestedWebhook): string {
  const attempts = attempt === null ? [] : attemptLines(output, { number: 1, url, ...attempt })
  if (request === null) return [`  ${printableText(url)}: nothing is sent`, ...attempts].join('\n')
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  const lines = [`${request.method} ${request.url}`, ...headers, '', request.body]
  const sent = lines.map((line) => `  ${printableText(line)}`)
  if (attempt === null) return [output.style('bold', 'would be sent'), ...sent].join('\n')
  return [...sent, ...attempts].join('\n')
}
