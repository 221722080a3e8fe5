import { type Command, InvalidArgumentError, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import type { DeliveryShown } from '../../api/resources.ts'
import { deliverySheet } from '../../output/delivery-sheet.ts'
import { outputOf } from '../../output/output-of.ts'
import { table } from '../../output/table.ts'
import { limitOption } from '../../options/count-option.ts'
import { given } from '../../options/given.ts'

const STATES = ['pending', 'delivered', 'rejected', 'expired', 'held', 'quarantined']

interface ListOptions {
  readonly destination?: string
  readonly event?: string
  readonly state?: string
  readonly class?: string
  readonly status?: string
  readonly from?: string
  readonly to?: string
  readonly limit: number
}

interface FailureShown {
  readonly destinationId: string
  readonly class: string
  readonly status: number | null
  readonly count: number
  readonly lastSeenAt: string
  readonly remedy: string
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
      show(command, await apiOf(command).get<DeliveryShown>(pathOf(id)))
    })

  withApiOptions(deliveries.command('retry <id>'))
    .description('make another round now')
    .action(async (id: string, _options: unknown, command: Command) => {
      show(command, await apiOf(command).post<DeliveryShown>(`${pathOf(id)}/retry`, {}))
    })

  withApiOptions(deliveries.command('failures'))
    .description('what fails, grouped, with what to do about it')
    .option('--destination <id>', 'only those of this destination')
    .action(async ({ destination }: { destination?: string }, command: Command) => {
      const query = given({ destinationId: destination })
      const found = await apiOf(command).get<{ data: FailureShown[] }>('deliveries/failures', query)
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
      const query = given({
        destinationId: destination,
        eventId: event,
        state,
        class: rest.class,
        status,
        from,
        to,
      })
      const data = await apiOf(command).first<DeliveryShown>('deliveries', query, limit)
      const output = outputOf(command)
      output.data({ data }, () =>
        data.length === 0 ? 'No such deliveries.' : table(output, COLUMNS, data),
      )
    })
}

function httpStatus(text: string): string {
  if (/^[1-5]\d\d$/.test(text)) return text
  throw new InvalidArgumentError('It must be an HTTP status like 503.')
}

function pathOf(id: string): string {
  return `deliveries/${encodeURIComponent(id)}`
}

function show(command: Command, delivery: DeliveryShown): void {
  const output = outputOf(command)
  output.data(delivery, () => deliverySheet(output, delivery))
}

const COLUMNS = [
  { head: 'id', cell: ({ id }: DeliveryShown) => id },
  { head: 'destination', cell: ({ destinationId }: DeliveryShown) => destinationId },
  { head: 'state', cell: ({ state }: DeliveryShown) => state },
  { head: 'attempts', cell: ({ attempts }: DeliveryShown) => `${attempts.length}` },
  { head: 'last', cell: ({ attempts }: DeliveryShown) => attempts.at(-1)?.class ?? '' },
  { head: 'next attempt', cell: ({ nextAttemptAt }: DeliveryShown) => nextAttemptAt ?? '' },
]

const FAILURE_COLUMNS = [
  { head: 'count', cell: ({ count }: FailureShown) => `${count}` },
  { head: 'destination', cell: ({ destinationId }: FailureShown) => destinationId },
  { head: 'class', cell: (failure: FailureShown) => failure.class },
  { head: 'status', cell: ({ status }: FailureShown) => `${status ?? ''}` },
  { head: 'last seen', cell: ({ lastSeenAt }: FailureShown) => lastSeenAt },
  { head: 'remedy', cell: ({ remedy }: FailureShown) => remedy },
]
