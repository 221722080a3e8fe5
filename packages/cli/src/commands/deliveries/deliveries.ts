import { DELIVERY_CLASSES, DELIVERY_STATES } from '@hookline/protocol'
import { Option } from 'commander'
import { optionalIdOf, requireKnown } from '../../api/find-id.ts'
import type { Delivery } from '../../api/generated/management-client.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { wholeNumber } from '../../options/whole-number.ts'
import { attemptLines } from '../../output/deliveries/attempt-line.ts'
import { partLines } from '../../output/deliveries/part-lines.ts'
import { details, wrapLine } from '../../output/details.ts'
import { showList } from '../../output/list.ts'
import { destinationNames, nameAndId, nameColumns, type Names } from '../../output/names.ts'
import type { Output } from '../../output/output.ts'
import { printableText } from '../../output/safe-text.ts'
import { destinationWord } from '../../output/shell-word.ts'
import { type Column, table } from '../../output/table.ts'
import type { ApiCommand, Context } from '../api-command.ts'

type Filters = NonNullable<Parameters<ManagementApi['listDeliveries']>[0]>
type FailureGroup = Awaited<ReturnType<ManagementApi['listFailures']>>['data'][number]

const MAX_SAMPLES = 10

interface ListOptions extends ListPart {
  readonly destination?: string
  readonly event?: string
  readonly state?: Delivery['state']
  readonly waiting?: boolean
  readonly class?: NonNullable<Filters['$class']>
  readonly status?: number
  readonly from?: string
  readonly to?: string
}

export function addDeliveries(program: ApiCommand): void {
  const deliveries = program.command('deliveries').description('list, show and retry deliveries')
  addList(deliveries)

  deliveries
    .api('get <id>', 'show a delivery with its attempts')
    .runOn('delivery', async (context, id) => show(context, await context.api.getDelivery(id)))

  deliveries
    .api('retry <id>', 'retry a delivery now')
    .runOn('delivery', async (context, id) =>
      show(context, await context.api.retryDelivery(id, {})),
    )

  deliveries
    .api('curl <id>', 'print a signed curl command for each webhook')
    .runOn('delivery', async ({ api, output }, id) => {
      const requests = await api.getDeliveryRequests(id)
      // Not wrapped, because it is pasted or piped into a shell.
      output.data(requests, () => requests.webhooks.map(({ curl }) => curl).join('\n\n'))
    })

  deliveries
    .api('failures', 'group failures by destination, class and status')
    .option('--destination <id>', 'only failures at this destination')
    .run(async ({ api, output }, { destination }: { destination?: string }) => {
      const filter = definedFields({
        destinationId: await optionalIdOf(api, 'destination', destination),
      })
      const failures = await api.listFailures(filter)
      if (failures.data.length === 0) await requireKnown(api, filter)
      const names = await destinationNames(api, output)
      output.data(failures, () => failuresText(output, failures.data, names))
    })
}

function addList(deliveries: ApiCommand): void {
  deliveries
    .api('list', 'list deliveries, newest first')
    .paged('long')
    .option('--destination <id>', 'only deliveries to this destination')
    .option('--event <id>', 'only deliveries of this event')
    .addOption(
      new Option('--state <state>', 'only deliveries in this state').choices(DELIVERY_STATES),
    )
    .option('--waiting', 'only deliveries that are pending or held at a webhook')
    .addOption(
      new Option(
        '--class <class>',
        'only deliveries whose last attempt to a webhook has this class',
      ).choices(Object.keys(DELIVERY_CLASSES)),
    )
    .option(
      '--status <code>',
      'only deliveries whose last attempt to a webhook got this HTTP status',
      wholeNumber(100, 599),
    )
    .receivedBetween()
    .run(async ({ api, output }, { destination, event, ...rest }: ListOptions) => {
      const { state, waiting, status, from, to } = rest
      const filters = definedFields({
        destinationId: await optionalIdOf(api, 'destination', destination),
        eventId: event,
        state,
        waiting: waiting ? ('true' as const) : undefined,
        $class: rest.class,
        status,
        $from: from,
        to,
      })
      const page = await listPart((next) => api.listDeliveries({ ...filters, ...next }), rest)
      if (page.data.length === 0) await requireKnown(api, filters)
      const names = await destinationNames(api, output)
      showList(output, columnsFor(page.data, names), page, 'No matching deliveries.')
    })
}

async function show({ api, output }: Context, delivery: Delivery): Promise<void> {
  const names = await destinationNames(api, output)
  output.data(delivery, () => deliveryDetails(output, delivery, names))
}

function columnsFor(items: readonly Delivery[], names: Names): Column<Delivery>[] {
  return [
    { head: 'id', cell: ({ id }) => id },
    { head: 'state', cell: ({ state }) => state },
    ...nameColumns('destination', ({ destinationId }: Delivery) => destinationId, { names, items }),
    { head: 'attempts', cell: ({ attempts }) => `${attempts.length}`, rank: 4 },
    { head: 'last', cell: ({ attempts }) => attempts.at(-1)?.class ?? '' },
    { head: 'next attempt', cell: (each) => each.nextAttemptAt ?? '', isTime: true, rank: 3 },
    { head: 'event', cell: ({ eventId }) => eventId, rank: 5 },
  ]
}

function failuresText(output: Output, failures: readonly FailureGroup[], names: Names): string {
  const [first] = failures
  if (first === undefined) return 'No failures.'
  const { destinationId, sampleDeliveryId } = first
  const isAnyQuarantined = failures.some((failure) => failure.class === 'quarantined')
  return [
    table(output, failureColumns(failures, names), failures),
    '',
    'Example deliveries, with their last errors:',
    ...failures.slice(0, MAX_SAMPLES).map((failure) => wrapLine(output, sampleText(failure))),
    '',
    // Not wrapped: a command that is pasted must stay on one line.
    `Show the response: hookline deliveries get ${sampleDeliveryId}`,
    `Replay failed deliveries: hookline replay --destination ${destinationWord(destinationId, names)}`,
    ...(isAnyQuarantined ? ['To replay quarantined deliveries, add --states quarantined.'] : []),
  ].join('\n')
}

function sampleText({ sampleDeliveryId, lastError, class: kind }: FailureGroup): string {
  return printableText(`  ${sampleDeliveryId}  ${lastError ?? kind}`)
}

function failureColumns(items: readonly FailureGroup[], names: Names): Column<FailureGroup>[] {
  const destinationOf = ({ destinationId }: FailureGroup) => destinationId
  return [
    { head: 'count', cell: ({ count, isComplete }) => `${count}${isComplete ? '' : '+'}` },
    ...nameColumns('destination', destinationOf, { names, items }),
    { head: 'class', cell: (failure) => failure.class },
    { head: 'status', cell: ({ status }) => `${status ?? ''}`, rank: 2 },
    { head: 'last seen', cell: ({ lastSeenAt }) => lastSeenAt, isTime: true, rank: 1 },
    { head: 'remedy', cell: ({ remedy }) => remedy, long: 'wrap' },
  ]
}

function deliveryDetails(output: Output, delivery: Delivery, names: Names): string {
  const { webhooks, attempts, quarantine, nextAttemptAt } = delivery
  const facts = details(output, [
    ['id', delivery.id],
    ['event', delivery.eventId],
    ['destination', nameAndId(delivery.destinationId, names)],
    ['state', delivery.state],
    ['next attempt', nextAttemptAt === null ? 'none' : output.time(nextAttemptAt)],
    quarantine && ['quarantined', `since ${quarantine.at}: ${quarantine.reason}`],
  ])
  const parts = webhooks
    .flatMap((part) => partLines(output, part, delivery))
    .map((line) => wrapLine(output, line))
  const lines = attempts.flatMap((attempt) => attemptLines(output, attempt))
  const history = lines.length === 0 ? [] : [output.style('bold', 'attempts'), ...lines]
  return [[facts], parts, history]
    .filter(({ length }) => length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')
}
