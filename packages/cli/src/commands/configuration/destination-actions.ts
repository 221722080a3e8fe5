import { EVENT_TYPES } from '@hookline/protocol'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import type { Destination } from '../../api/generated/management-client.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { outputOf } from '../../output/output-of.ts'
import { trialText } from '../../output/trial-text.ts'
import { destinationSheet } from '../../output/destination-sheet.ts'
import {
  type SecretOptions,
  sharedSecretOf,
  withSecretOptions,
} from '../../options/secret-options.ts'

/** `hookline destinations pause|resume|test|rotate-secret` */
export function addDestinationActions(destinations: Command): void {
  addAction(destinations, 'pause', 'hold deliveries instead of trying them')
  addAction(destinations, 'resume', 'go on with what was held, and with webhooks that were paused')
  addTest(destinations)
  addRotation(destinations)
}

function addAction(destinations: Command, verb: 'pause' | 'resume', description: string): void {
  withApiOptions(destinations.command(`${verb} <id>`))
    .description(description)
    .action(async (id: string, _options: unknown, command: Command) => {
      const api = apiOf(command)
      const act = verb === 'pause' ? api.pauseDestination : api.resumeDestination
      show(command, await act(id, {}))
    })
}

type TestType = NonNullable<Parameters<ManagementApi['testDestination']>[1]['type']>

interface TestOptions {
  readonly type?: TestType
  readonly event?: string
  readonly dryRun?: true
}

function addTest(destinations: Command): void {
  withApiOptions(destinations.command('test <id>'))
    .description('send something to each webhook, also while it is off, and show what came of it')
    .addOption(
      new Option('--type <type>', 'a sample of this type; track if no event is named')
        .choices([...EVENT_TYPES, 'delete'])
        .conflicts('event'),
    )
    .option('--event <id>', 'an event of its source, by its evt_… id')
    .option('--dry-run', 'only show what would be sent')
    .action(async (id: string, { type, event, dryRun }: TestOptions, command: Command) => {
      const sample = event === undefined ? (type ?? 'track') : type
      const body = definedFields({ type: sample, eventId: event, dryRun })
      const tried = await apiOf(command).testDestination(id, body)
      const output = outputOf(command)
      output.data(tried, () => trialText(output, tried))
      const failed = tried.webhooks.filter(
        ({ attempt }) => attempt !== null && attempt.outcome !== 'delivered',
      )
      if (failed.length === 0) return
      const meaning = failed.length < tried.webhooks.length ? 'partial' : 'failed'
      throw new Failure(meaning, `${failed.length} of ${tried.webhooks.length} did not take it.`)
    })
}

function addRotation(destinations: Command): void {
  withSecretOptions(withApiOptions(destinations.command('rotate-secret <id>')))
    .description('replace the shared secret; for a time the old one signs as well')
    .option('--overlap <hours>', 'how long the old one signs, 0 to 168; 24 if absent', hours)
    .action(async (id: string, options: SecretOptions & { overlap?: number }, command: Command) => {
      const secret = sharedSecretOf(options)
      if (secret === undefined) throw new Failure('usage', 'Give --secret or --secret-file.')
      const body = definedFields({ secret, overlapHours: options.overlap })
      show(command, await apiOf(command).rotateSecret(id, body))
    })
}

function hours(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new InvalidArgumentError('It must be a whole number from 0.')
}

function show(command: Command, destination: Destination): void {
  const output = outputOf(command)
  output.data(destination, () => destinationSheet(output, destination))
}
