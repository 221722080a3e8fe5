import { type Command, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import type { Delivery } from '../../api/generated/management-client.ts'
import { listItems } from '../../api/list-items.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { deliveryDetails } from '../../output/delivery-details.ts'
import { outputOf } from '../../output/output.ts'
import { showList, table } from '../../output/table.ts'
import { limitOption, wholeNumber } from '../../options/whole-number.ts'

type Filters = NonNullable<Parameters<ManagementApi['listDeliveries']>[0]>
type FailureGroup = Awaited<ReturnType<ManagementApi['listFailures']>>['data'][number]

const STATES = ['pending', 'delivered', 'rejected', 'expired', 'held', 'quarantined']

interface ListOptions {
  readonly destination?: string
  readonly event?: string
  readonly state?: Delivery['state']
  readonly waiting?: boolean
  /** The service checks it. */
  readonly class?: NonNullable<Filters['$class']>
  readonly status?: number
  readonly from?: string
  readonly to?: string
  readonly limit: number
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
      show(command, await apiOf(command).getDelivery(id))
    })

  withApiOptions(deliveries.command('retry <id>'))
    .description('try a delivery again now')
    .action(async (id: string, _options: unknown, command: Command) => {
      show(command, await apiOf(command).retryDelivery(id, {}))
    })

  withApiOptions(deliveries.command('failures'))
    .description('failures by destination and class, with the remedy')
    .option('--destination <id>', 'only failures of this destination')
    .action(async ({ destination }: { destination?: string }, command: Command) => {
      const filter = definedFields({ destinationId: destination })
      const failures = await apiOf(command).listFailures(filter)
      const output = outputOf(command)
      output.data(failures, () =>
        failures.data.length === 0 ? 'No failures.' : table(output, FAILURE_COLUMNS, failures.data),
      )
    })
}

function addList(deliveries: Command): void {
  withApiOptions(deliveries.command('list'))
    .description('list deliveries, newest first')
    .option('--destination <id>', 'only deliveries to this destination')
    .option('--event <id>', 'only deliveries of this event')
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(STATES))
    .option('--waiting', 'only deliveries of which a webhook waits, whatever their state')
    .option(
      '--class <class>',
      'only if the last attempt on a webhook has this class, for example timeout',
    )
    .option(
      '--status <code>',
      'only if a webhook last responded with this HTTP status',
      wholeNumber(100, 599),
    )
    .option('--from <time>', 'only for events received at this time or later, in ISO 8601')
    .option('--to <time>', 'only for events received before this time, in ISO 8601')
    .addOption(limitOption())
    .action(async ({ limit, destination, event, ...rest }: ListOptions, command: Command) => {
      const { state, waiting, status, from, to } = rest
      const filters = definedFields({
        destinationId: destination,
        eventId: event,
        state,
        waiting: waiting ? ('true' as const) : undefined,
        $class: rest.class,
        status,
        $from: from,
        to,
      })
      const api = apiOf(command)
      const data = await listItems((page) => api.listDeliveries({ ...filters, ...page }), limit)
      showList(outputOf(command), COLUMNS, data, 'No matching deliveries.')
    })
}

function show(command: Command, delivery: Delivery): void {
  const output = outputOf(command)
  output.data(delivery, () => deliveryDetails(output, delivery))
}

const COLUMNS = [
  { head: 'id', cell: ({ id }: Delivery) => id },
  { head: 'destination', cell: ({ destinationId }: Delivery) => destinationId },
  { head: 'state', cell: ({ state }: Delivery) => state },
  { head: 'attempts', cell: ({ attempts }: Delivery) => `${attempts.length}` },
  { head: 'last', cell: ({ attempts }: Delivery) => attempts.at(-1)?.class ?? '' },
  { head: 'next attempt', cell: ({ nextAttemptAt }: Delivery) => nextAttemptAt ?? '' },
]

const FAILURE_COLUMNS = [
  { head: 'count', cell: ({ count }: FailureGroup) => `${count}` },
  { head: 'destination', cell: ({ destinationId }: FailureGroup) => destinationId },
  { head: 'class', cell: (failure: FailureGroup) => failure.class },
  { head: 'status', cell: ({ status }: FailureGroup) => `${status ?? ''}` },
  { head: 'last seen', cell: ({ lastSeenAt }: FailureGroup) => lastSeenAt },
  { head: 'remedy', cell: ({ remedy }: FailureGroup) => remedy },
]
