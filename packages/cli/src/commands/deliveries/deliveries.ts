import { type Command, InvalidArgumentError, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import type { Delivery } from '../../api/generated/management-client.ts'
import { listItems } from '../../api/list-items.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { deliverySheet } from '../../output/delivery-sheet.ts'
import { outputOf } from '../../output/output-of.ts'
import { table } from '../../output/table.ts'
import { limitOption } from '../../options/count-option.ts'

type Filters = NonNullable<Parameters<ManagementApi['listDeliveries']>[0]>
type FailureGroup = Awaited<ReturnType<ManagementApi['listFailures']>>['data'][number]

const STATES = ['pending', 'delivered', 'rejected', 'expired', 'held', 'quarantined']

interface ListOptions {
  readonly destination?: string
  readonly event?: string
  readonly state?: Delivery['state']
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
    .description('what was sent where, and how it went')
  addList(deliveries)

  withApiOptions(deliveries.command('get <id>'))
    .description('show a delivery with its attempts')
    .action(async (id: string, _options: unknown, command: Command) => {
      show(command, await apiOf(command).getDelivery(id))
    })

  withApiOptions(deliveries.command('retry <id>'))
    .description('make another round now')
    .action(async (id: string, _options: unknown, command: Command) => {
      show(command, await apiOf(command).retryDelivery(id, {}))
    })

  withApiOptions(deliveries.command('failures'))
    .description('what fails, grouped, with what to do about it')
    .option('--destination <id>', 'only those of this destination')
    .action(async ({ destination }: { destination?: string }, command: Command) => {
      const filter = definedFields({ destinationId: destination })
      const found = await apiOf(command).listFailures(filter)
      const output = outputOf(command)
      output.data(found, () =>
        found.data.length === 0 ? 'Nothing fails.' : table(output, FAILURE_COLUMNS, found.data),
      )
    })
}

function addList(deliveries: Command): void {
  withApiOptions(deliveries.command('list'))
    .description('list deliveries, newest first')
    .option('--destination <id>', 'only those to this destination')
    .option('--event <id>', 'only those of this event')
    .addOption(new Option('--state <state>', 'only those in this state').choices(STATES))
    .option('--class <class>', 'only those a webhook last answered so, for example timeout')
    .option('--status <code>', 'only those answered with this HTTP status', httpStatus)
    .option('--from <time>', 'events received from this moment on, in ISO 8601')
    .option('--to <time>', 'events received before this moment, in ISO 8601')
    .addOption(limitOption())
    .action(async ({ limit, destination, event, ...rest }: ListOptions, command: Command) => {
      const { state, status, from, to } = rest
      const filters = definedFields({
        destinationId: destination,
        eventId: event,
        state,
        $class: rest.class,
        status,
        $from: from,
        to,
      })
      const api = apiOf(command)
      const data = await listItems((page) => api.listDeliveries({ ...filters, ...page }), limit)
      const output = outputOf(command)
      output.data({ data }, () =>
        data.length === 0 ? 'No such deliveries.' : table(output, COLUMNS, data),
      )
    })
}

function httpStatus(text: string): number {
  if (/^[1-5]\d\d$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be an HTTP status like 503.')
}

function show(command: Command, delivery: Delivery): void {
  const output = outputOf(command)
  output.data(delivery, () => deliverySheet(output, delivery))
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
