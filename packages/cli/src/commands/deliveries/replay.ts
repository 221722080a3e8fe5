import { EVENT_TYPES, type EventType } from '@hookline/protocol'
import { type Command, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { idOf } from '../../api/find-id.ts'
import type { Replay } from '../../api/generated/management-client.ts'
import { definedFields } from '../../api/management-api.ts'
import { PAST_TIME, pastTime } from '../../options/time-options.ts'
import { wholeNumber } from '../../options/whole-number.ts'
import { outputOf } from '../../output/output.ts'

const past = (text: string) => pastTime(text)

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

/** `hookline replay` */
export function addReplay(program: Command): void {
  withApiOptions(program.command('replay'))
    .description('deliver past events to a destination again')
    .requiredOption('--destination <id>', 'destination to deliver to')
    .addOption(
      new Option(
        '--states <states...>',
        'only deliveries in these states; the default is rejected and expired',
      ).choices(['delivered', 'rejected', 'expired', 'quarantined']),
    )
    .addOption(new Option('--types <types...>', 'only events of these types').choices(EVENT_TYPES))
    .option('--from <time>', `only events received at this time or later: ${PAST_TIME}`, past)
    .option('--to <time>', 'only events received before this time; the default is now', past)
    .option('--text <text>', 'only events that contain this text')
    .option('--include-declined', 'also events that arrived while the destination was disabled')
    .option('--rate <count>', 'at most this many deliveries per second', wholeNumber(1))
    .option('--dry-run', 'count the deliveries, but send none')
    .action(replay)
}

async function replay(options: ReplayOptions, command: Command): Promise<void> {
  const { destination, rate: ratePerSecond, states, types, from, to, text } = options
  const { includeDeclined, dryRun } = options
  const api = apiOf(command)
  const destinationId = await idOf(api, 'destination', destination)
  const selection = { destinationId, states, types, from, to, text, includeDeclined }
  const body = definedFields({ ...selection, ratePerSecond, dryRun })
  const result = await api.createReplay(body)
  outputOf(command).data(result, () =>
    'matches' in result
      ? `Deliveries that a replay would send: ${result.matches}.`
      : `Replay ${result.id} is ${result.state}. \`hookline replays get ${result.id}\` shows its progress.`,
  )
}
