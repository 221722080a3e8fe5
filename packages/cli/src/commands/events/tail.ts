import { EVENT_TYPES } from '@hookline/protocol'
import { type Command, Option } from 'commander'
import { setTimeout as pause } from 'node:timers/promises'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { optionalIdOf } from '../../api/find-id.ts'
import { type LiveMessage, LiveMessages } from '../../api/live-messages.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { requireKnown } from '../../api/require-known.ts'
import { Failure } from '../../failure.ts'
import { liveLine } from '../../output/events/live-line.ts'
import { type Output, outputOf } from '../../output/output.ts'
import { stopSignal } from '../../service/stop-signal.ts'

const RECONNECT_MS = 1_000

interface TailOptions {
  readonly kind?: string
  readonly source?: string
  readonly destination?: string
  readonly type?: string
  readonly event?: string
  readonly user?: string
}

/** `hookline tail` */
export function addTail(program: Command): void {
  withApiOptions(program.command('tail'))
    .description('show events, decisions and attempts as they happen, until Ctrl-C')
    .addOption(
      new Option('--kind <kind>', 'only messages of this kind').choices([
        'event',
        'decision',
        'attempt',
      ]),
    )
    .option('--source <id>', 'only messages about events of this source')
    .option('--destination <id>', 'only events, and messages about this destination')
    .addOption(new Option('--type <type>', 'only events of this type').choices(EVENT_TYPES))
    .option('--event <name>', 'only events with this name')
    .option('--user <id>', 'only events with this userId')
    .action(tail)
}

async function tail(options: TailOptions, command: Command): Promise<void> {
  const { source, destination, user, kind, type, event } = options
  const api = apiOf(command)
  const ids = {
    sourceId: await optionalIdOf(api, 'source', source),
    destinationId: await optionalIdOf(api, 'destination', destination),
  }
  await requireKnown(api, ids)
  const query = definedFields({
    ...ids,
    userId: user,
    kind,
    type,
    event,
  })
  const output = outputOf(command)
  const stopping = new AbortController()
  void stopSignal().then(() => stopping.abort())
  const show = ({ name, data }: LiveMessage): void =>
    output.data({ kind: name, ...data }, () => liveLine(output, name, data))
  const path = `live?${new URLSearchParams(query).toString()}`
  const messages = new LiveMessages()
  // The first connection must succeed. A later connection that breaks is opened again, and continues after the last message.
  await read(api, path, { messages, signal: stopping.signal, show, opened: () => begin(output) })
  while (!stopping.signal.aborted) {
    await pause(RECONNECT_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
    await read(api, path, { messages, signal: stopping.signal, show }).catch((error: unknown) => {
      if (error instanceof Failure && error.code !== 'unreachable') throw error
    })
  }
}

/** Without it, a quiet service looks like a command that hangs. */
function begin(output: Output): void {
  if (!output.isJson) output.note('Events appear here as they happen. Press Ctrl-C to stop.')
}

async function read(
  api: ManagementApi,
  path: string,
  options: {
    readonly messages: LiveMessages
    readonly signal: AbortSignal
    readonly show: (message: LiveMessage) => void
    readonly opened?: () => void
  },
): Promise<void> {
  const { messages, signal, show, opened } = options
  if (signal.aborted) return
  const headers = messages.lastId === undefined ? {} : { 'last-event-id': messages.lastId }
  const response = await api.stream(path, { headers, signal })
  opened?.()
  const decoder = new TextDecoder()
  try {
    for await (const chunk of response.body!) {
      for (const message of messages.take(decoder.decode(chunk, { stream: true }))) show(message)
    }
  } catch {
    // The connection broke, or the user interrupted: in both cases the stream has ended.
  }
  messages.broken()
}
