import { EVENT_TYPES, type EventType } from '@hookline/protocol'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import type { Replay } from '../../api/generated/management-client.ts'
import { definedFields } from '../../api/management-api.ts'
import { outputOf } from '../../output/output-of.ts'

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
    .description('deliver past events of a destination again')
    .requiredOption('--destination <id>', 'the destination')
    .addOption(
      new Option(
        '--states <states...>',
        'deliveries in these states; rejected and expired if absent',
      ).choices(['delivered', 'rejected', 'expired', 'quarantined']),
    )
    .addOption(new Option('--types <types...>', 'events of these types').choices(EVENT_TYPES))
    .option('--from <time>', 'events received from this moment on, in ISO 8601')
    .option('--to <time>', 'events received before this moment; now if absent')
    .option('--text <text>', 'events that contain this text')
    .option('--include-declined', 'also events that came while the destination was off')
    .option('--rate <count>', 'at most so many a second', wholeNumber)
    .option('--dry-run', 'only count what would be delivered')
    .action(replay)
}

async function replay(options: ReplayOptions, command: Command): Promise<void> {
  const { destination: destinationId, rate: ratePerSecond, states, types, from, to, text } = options
  const { includeDeclined, dryRun } = options
  const selection = { destinationId, states, types, from, to, text, includeDeclined }
  const body = definedFields({ ...selection, ratePerSecond, dryRun })
  const result = await apiOf(command).createReplay(body)
  outputOf(command).data(result, () =>
    'matches' in result
      ? `${result.matches} deliveries would be made again.`
      : `Replay ${result.id} is ${result.state}.`,
  )
}

function wholeNumber(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new InvalidArgumentError('It must be a whole number from 1.')
}
