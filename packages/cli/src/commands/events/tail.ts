import { EVENT_TYPES } from '@hookline/protocol'
import { Option } from 'commander'
import { setTimeout as sleep } from 'node:timers/promises'
import { optionalIdOf, requireKnown } from '../../api/find-id.ts'
import { type LiveMessage, LiveMessages } from '../../api/live-messages.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { liveLine } from '../../output/events/live-line.ts'
import { stopSignal } from '../../service/stop-signal.ts'
import type { ApiCommand, Context } from '../api-command.ts'

const RECONNECT_MS = 1_000

interface TailOptions {
  readonly kind?: string
  readonly source?: string
  readonly destination?: string
  readonly type?: string
  readonly event?: string
  readonly user?: string
}

export function addTail(program: ApiCommand): void {
  program
    .api('tail', 'show events, decisions and attempts as they happen')
    .addOption(
      new Option('--kind <kind>', 'only messages of this kind').choices([
        'event',
        'decision',
        'attempt',
      ]),
    )
    .option('--source <id>', 'only messages for this source')
    .option(
      '--destination <id>',
      'only decisions and attempts for this destination; does not filter events',
    )
    .addOption(
      new Option('--type <type>', 'only messages about events of this type').choices(EVENT_TYPES),
    )
    .option('--event <name>', 'only messages about events with this name')
    .option('--user <id>', 'only messages about events with this userId')
    .run(tail)
}

async function tail({ api, output }: Context, options: TailOptions): Promise<void> {
  const { source, destination, user, kind, type, event } = options
  const ids = {
    sourceId: await optionalIdOf(api, 'source', source),
    destinationId: await optionalIdOf(api, 'destination', destination),
  }
  await requireKnown(api, ids)
  const query = definedFields({ ...ids, userId: user, kind, type, event })
  const stopping = new AbortController()
  void stopSignal().then(() => stopping.abort())
  const show = ({ name, data }: LiveMessage): void =>
    output.data({ kind: name, ...data }, () => liveLine(output, name, data))
  const path = `live?${new URLSearchParams(query).toString()}`
  const messages = new LiveMessages()
  const { signal } = stopping
  // Without this line, the command would seem to hang if there are no events.
  const opened = () => {
    if (!output.isJson) output.note('Waiting for events. Press Ctrl-C to stop.')
  }
  // Only the first connection must succeed. Later ones resume after the last message.
  await read(api, path, { messages, signal, show, opened })
  while (!signal.aborted) {
    await sleep(RECONNECT_MS, undefined, { signal }).catch(() => undefined)
    await read(api, path, { messages, signal, show }).catch((error: unknown) => {
      if (error instanceof Failure && error.code !== 'unreachable') throw error
    })
  }
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
    // The connection broke or the user interrupted: either way, the stream has ended.
  }
  messages.reset()
}
