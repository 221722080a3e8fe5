import { EVENT_TYPES, type EventType } from '@hookline/protocol'
import { Option } from 'commander'
import { idOf } from '../../api/find-id.ts'
import type { Replay } from '../../api/generated/management-client.ts'
import { definedFields } from '../../api/management-api.ts'
import { wholeNumber } from '../../options/whole-number.ts'
import type { ApiCommand } from '../api-command.ts'

interface ReplayOptions {
  readonly destination: string
  readonly states?: Replay['states']
  readonly types?: EventType[]
  readonly from?: string
  readonly to?: string
  readonly text?: string
  readonly includeDeclined?: true
  readonly rate?: number
  readonly dryRun?: true
}

export function addReplay(program: ApiCommand): void {
  program
    .api('replay', 'redeliver past events to a destination')
    .requiredOption('--destination <id>', 'destination to deliver to')
    .addOption(
      new Option(
        '--states <states...>',
        'only deliveries in these states; default: rejected and expired',
      ).choices(['delivered', 'rejected', 'expired', 'quarantined']),
    )
    .addOption(new Option('--types <types...>', 'only events of these types').choices(EVENT_TYPES))
    .receivedBetween()
    .option('--text <text>', 'only events that contain this text')
    .option(
      '--include-declined',
      "also send declined events (destination disabled, filter, sample or transform) that the destination's current filter and sample select",
    )
    .option('--rate <count>', 'maximum deliveries per second', wholeNumber(1))
    .option('--dry-run', 'count matching deliveries without sending them')
    .run(async ({ api, output }, { destination, rate: ratePerSecond, ...rest }: ReplayOptions) => {
      const { states, types, from, to, text, includeDeclined, dryRun } = rest
      const selection = { states, types, from, to, text, includeDeclined }
      const destinationId = await idOf(api, 'destination', destination)
      const body = definedFields({ destinationId, ...selection, ratePerSecond, dryRun })
      const result = await api.createReplay(body)
      output.data(result, () =>
        'matches' in result
          ? `Matching deliveries: ${result.matches}.`
          : `Replay ${result.id} is ${result.state}. \`hookline replays get ${result.id}\` shows its progress.`,
      )
    })
}
