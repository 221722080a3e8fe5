import { DELIVERY_CLASSES } from '@hookline/protocol'
import { type Command, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { idOf, optionalIdOf } from '../../api/find-id.ts'
import type { Delivery } from '../../api/generated/management-client.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { requireKnown } from '../../api/require-known.ts'
import { details, wrapped } from '../../output/details.ts'
import { printable } from '../../output/safe-text.ts'
import { destinationWord } from '../../output/shell-word.ts'
import { destinationNames, nameAndId, nameColumns, type Names } from '../../output/names.ts'
import { type Output, outputOf } from '../../output/output.ts'
import { showList } from '../../output/list.ts'
import { type Column, table } from '../../output/table.ts'
import { PAST_TIME, pastTime } from '../../options/time-options.ts'
import { withLongListOptions } from '../../options/list-options.ts'
import { wholeNumber } from '../../options/whole-number.ts'
import { attemptLines } from '../../output/deliveries/attempt-line.ts'
import { partLines } from '../../output/deliveries/part-lines.ts'

type Filters = NonNullable<Parameters<ManagementApi['listDeliveries']>[0]>
type FailureGroup = Awaited<ReturnType<ManagementApi['listFailures']>>['data'][number]

const STATES = ['pending', 'delivered', 'rejected', 'expired', 'held', 'quarantined']

/** The samples of the largest groups are enough to begin with. */
const MOST_SAMPLES = 10

const past = (text: string) => pastTime(text)

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

/** `hookline deliveries …` */
export function addDeliveries(program: Command): void {
  const deliveries = program
    .command('deliveries')
    .description('deliveries to destinations, with their attempts and failures')
  addList(deliveries)

  withApiOptions(deliveries.command('get <id>'))
    .description('show a delivery with its attempts')
    .action(async (id: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      await show(command, await api.getDelivery(await idOf(api, 'delivery', id)))
    })

  withApiOptions(deliveries.command('retry <id>'))
    .description('try a delivery again now')
    .action(async (id: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      await show(command, await api.retryDelivery(await idOf(api, 'delivery', id), {}))
    })

  withApiOptions(deliveries.command('curl <id>'))
    .description('print a curl command for each webhook that sends a delivery by hand, signed now')
    .action(async (id: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      const requests = await api.getDeliveryRequests(await idOf(api, 'delivery', id))
      // Not wrapped: it is pasted, or piped into a shell.
      const commands = requests.webhooks.map(({ curl }) => curl)
      outputOf(command).data(requests, () => commands.join('\n\n'))
    })

  withApiOptions(deliveries.command('failures'))
    .description('failures by destination and class, with the remedy')
    .option('--destination <id>', 'only failures of this destination')
    .action(async ({ destination }: { destination?: string }, command: Command) => {
      const api = apiOf(command)
      const destinationId = await optionalIdOf(api, 'destination', destination)
      const filter = definedFields({ destinationId })
      const output = outputOf(command)
      const failures = await api.listFailures(filter)
      if (failures.data.length === 0) await requireKnown(api, filter)
      const names = await destinationNames(api, output)
      output.data(failures, () => failuresText(output, failures.data, names))
    })
}

function addList(deliveries: Command): void {
  withLongListOptions(withApiOptions(deliveries.command('list')))
    .description('list deliveries, newest first')
    .option('--destination <id>', 'only deliveries to this destination')
    .option('--event <id>', 'only deliveries of this event')
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(STATES))
    .option('--waiting', 'only deliveries of which a webhook waits, whatever their state')
    .addOption(
      new Option(
        '--class <class>',
        'only if the last attempt on a webhook has this class, or it ended for this reason without one',
      ).choices(Object.keys(DELIVERY_CLASSES)),
    )
    .option(
      '--status <code>',
      'only if a webhook last responded with this HTTP status',
      wholeNumber(100, 599),
    )
    .option('--from <time>', `only for events received at this time or later: ${PAST_TIME}`, past)
    .option('--to <time>', 'only for events received before this time', past)
    .action(async ({ destination, event, ...rest }: ListOptions, command: Command) => {
      const { state, waiting, status, from, to } = rest
      const api = apiOf(command)
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
      const output = outputOf(command)
      const page = await listPart((next) => api.listDeliveries({ ...filters, ...next }), rest)
      if (page.data.length === 0) await requireKnown(api, filters)
      const names = await destinationNames(api, output)
      showList(output, columnsFor(page.data, names), page, 'No matching deliveries.')
    })
}

async function show(command: Command, delivery: Delivery): Promise<void> {
  const output = outputOf(command)
  const names = await destinationNames(apiOf(command), output)
  output.data(delivery, () => deliveryDetails(output, delivery, names))
}

function columnsFor(items: readonly Delivery[], names: Names): Column<Delivery>[] {
  return [
    { head: 'id', cell: ({ id }) => id },
    { head: 'state', cell: ({ state }) => state },
    ...nameColumns('destination', ({ destinationId }: Delivery) => destinationId, { names, items }),
    { head: 'attempts', cell: ({ attempts }) => `${attempts.length}`, rank: 4 },
    { head: 'last', cell: ({ attempts }) => attempts.at(-1)?.class ?? '' },
    {
      head: 'next attempt',
      cell: ({ nextAttemptAt }) => nextAttemptAt ?? '',
      isTime: true,
      rank: 3,
    },
    { head: 'event', cell: ({ eventId }) => eventId, rank: 5 },
  ]
}

function failuresText(output: Output, failures: readonly FailureGroup[], names: Names): string {
  const [first] = failures
  if (first === undefined) return 'No failures.'
  const { destinationId, sampleDeliveryId } = first
  const replay = `hookline replay --destination ${destinationWord(destinationId, names)}`
  return [
    table(output, failureColumns(failures, names), failures),
    '',
    'The newest delivery of each, and its last error:',
    ...failures.slice(0, MOST_SAMPLES).map((failure) => wrapped(output, sampleText(failure))),
    '',
    // Not wrapped: a command that is pasted must stay on one line.
    `\`hookline deliveries get ${sampleDeliveryId}\` shows the response.`,
    `\`${replay}\` sends again what is no longer tried.`,
    ...(failures.some(isQuarantined)
      ? [`With \`--states quarantined\`, it sends what is in quarantine.`]
      : []),
  ].join('\n')
}

function isQuarantined({ class: kind }: FailureGroup): boolean {
  return kind === 'quarantined'
}

function sampleText({ sampleDeliveryId, lastError, class: kind }: FailureGroup): string {
  return printable(`  ${sampleDeliveryId}  ${lastError ?? kind}`)
}

function failureColumns(items: readonly FailureGroup[], names: Names): Column<FailureGroup>[] {
  const destinationOf = ({ destinationId }: FailureGroup) => destinationId
  return [
    { head: 'count', cell: ({ count }) => `${count}` },
    ...nameColumns('destination', destinationOf, { names, items }),
    { head: 'class', cell: (failure) => failure.class },
    { head: 'status', cell: ({ status }) => `${status ?? ''}`, rank: 2 },
    { head: 'last seen', cell: ({ lastSeenAt }) => lastSeenAt, isTime: true, rank: 1 },
    { head: 'remedy', cell: ({ remedy }) => remedy, long: 'wrap' },
  ]
}

/** A delivery for people: what became of it at each webhook, its attempts, and the responses to them. */
function deliveryDetails(output: Output, delivery: Delivery, names: Names): string {
  const { webhooks, attempts, quarantine, nextAttemptAt } = delivery
  const facts = details(output, [
    ['id', delivery.id],
    ['event', delivery.eventId],
    ['destination', nameAndId(delivery.destinationId, names)],
    ['state', delivery.state],
    ['next attempt', nextAttemptAt === null ? 'none' : output.time(nextAttemptAt)],
    ...(quarantine === undefined
      ? []
      : [['in quarantine', `since ${quarantine.at}: ${quarantine.reason}`] as const]),
  ])
  const parts = webhooks
    .flatMap((part) => partLines(output, part, delivery))
    .map((line) => wrapped(output, line))
  const made = attempts.flatMap((attempt) => attemptLines(output, attempt))
  const blocks = [
    [facts],
    parts,
    made.length === 0 ? [] : [output.style('bold', 'attempts'), ...made],
  ]
  return blocks
    .filter(({ length }) => length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}
