import { newId } from '@hookline/protocol'
import { parseConfig } from '@hookline/server'
import type { RecordedDelivery } from '../../packages/server/src/backend/deliveries.ts'
import { openEmbeddedBackend } from '../../packages/server/src/backend/embedded/open.ts'
import type { LogEntry } from '../../packages/server/src/backend/log.ts'
import { deliveryId } from '../../packages/server/src/delivery/sending/webhook-request.ts'
import { appendToLog } from '../load/append-to-log.ts'
import { CONCURRENCY, openSending } from '../load/delivery-request.ts'
import { respondWith, SteadyStream } from '../load/steady-stream.ts'
import { temporaryDataDir } from '../load/temporary-data-dir.ts'

// The bare loop with Hookline's log and, if the second argument is `records`, its records of deliveries, but without
// decisions, lanes, retries, limits, health, metrics and activity. Everything is on disk as in Hookline.

const [port, records] = process.argv.slice(2)
const DESTINATION = 'dst_a'
const URL_OF_HOOK = `http://127.0.0.1:${port}/hook`

const stack = new AsyncDisposableStack()
const dataDir = stack.use(temporaryDataDir()).path
const config = parseConfig({}, { dataDir, allowedNetworks: '127.0.0.0/8' })
const { log, deliveries } = stack.use(await openEmbeddedBackend(config))
const stop = new AbortController()
const deliver = openSending(Number(port))

const stream = new SteadyStream({
  outstanding: config.webhookQueueSize,
  append: (events) => appendToLog(log, events),
})

interface Task {
  readonly entry: LogEntry
  readonly event: LogEntry['events'][number]
}

const tasks: Task[] = []
let inFlight = 0
let ended: Task[] = []
let ends: RecordedDelivery[] = []
let isRecording = false
const left = new WeakMap<LogEntry, number>()

/** Keeps as many requests in flight as the bare loop. */
function send(): void {
  while (inFlight < CONCURRENCY && tasks.length > 0) {
    const task = tasks.shift()!
    inFlight++
    void sendOne(task)
  }
}

async function sendOne(task: Task): Promise<void> {
  const startedAt = Date.now()
  await deliver(task.event.body)
  inFlight--
  ended.push(task)
  if (records !== undefined) ends.push(recordOf(task, startedAt))
  send()
  if (!isRecording) void keep()
}

/** Records all results since the last commit in the next one, and acks the entries that are done. */
async function keep(): Promise<void> {
  isRecording = true
  await new Promise((resolve) => setImmediate(resolve))
  while (ended.length > 0) {
    const [done, recorded] = [ended, ends]
    ended = []
    ends = []
    if (recorded.length > 0) await deliveries.record(recorded)
    const acked: LogEntry[] = []
    for (const { entry } of done) {
      const open = (left.get(entry) ?? entry.events.length) - 1
      left.set(entry, open)
      if (open === 0) acked.push(entry)
    }
    stream.done(done.length)
    await log.ack(acked)
  }
  isRecording = false
}

function recordOf({ event }: Task, startedAt: number): RecordedDelivery {
  const result = { outcome: 'delivered', class: 'delivered', status: 200 } as const
  const attempt = { id: newId('att', startedAt), number: 1, url: URL_OF_HOOK, startedAt }
  const lastAttempt = { ...attempt, durationMs: Date.now() - startedAt, ...result }
  return {
    delivery: {
      id: deliveryId(event.id, DESTINATION),
      eventId: event.id,
      destinationId: DESTINATION,
      state: 'delivered',
      attemptCount: 1,
      firstDueAt: startedAt,
      dueAt: null,
      webhooks: [
        { url: URL_OF_HOOK, state: 'delivered', firstDueAt: startedAt, dueAt: null, lastAttempt },
      ],
    },
    attempts: [],
  }
}

async function consume(): Promise<void> {
  for await (const entries of log.consume({ signal: stop.signal })) {
    for (const entry of entries) for (const event of entry.events) tasks.push({ entry, event })
    send()
  }
}

const consuming = consume()
stack.defer(() => {
  stop.abort()
  return consuming
})
respondWith(stream, () => stack.disposeAsync())
