// Makes the calls in a file with a client library for Node.js. Arguments: its folder in node_modules, and its flavour.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Call } from '../../scenarios/call.ts'

const SETTLED_WITHIN_MS = 20_000
/** By default, some libraries stop retrying within half a second. The `analytics-node` family doubles the delay each time. */
const RETRIES = { segment: 50, legacy: 10 }
/** Expo's library may leave a call in its queue until the next call or flush. */
const FLUSH_EVERY_MS = 500

type Settled = (error?: unknown) => void
type Method = (message: object, settled: Settled) => unknown
type Client = Readonly<Record<string, Method>>
type Constructor = new (...args: readonly unknown[]) => Client
interface Settings {
  readonly writeKey: string
  readonly endpoint: string
  readonly batch: number
  readonly gzip: boolean
}

/** Creates a client of each flavour, as its documentation describes. */
const FLAVOURS: Readonly<Record<string, (Analytics: Constructor, settings: Settings) => Client>> = {
  segment: (Analytics, { writeKey, endpoint: host, batch }) => {
    const limits = { flushAt: batch, maxEventsInBatch: batch, flushInterval: 500 }
    return new Analytics({ writeKey, host, maxRetries: RETRIES.segment, ...limits })
  },
  legacy: (Analytics, { writeKey, endpoint: host, batch }) =>
    new Analytics(writeKey, { host, path: '/v1/batch', ...legacyOptions(batch) }),
  rudder: (Analytics, { writeKey, endpoint: dataPlaneUrl, batch, gzip }) =>
    new Analytics(writeKey, { dataPlaneUrl, gzip, logLevel: 'none', ...legacyOptions(batch) }),
  // Its second argument is the whole URL.
  'rudder-1': (Analytics, { writeKey, endpoint, batch }) =>
    new Analytics(writeKey, `${endpoint}/v1/batch`, legacyOptions(batch)),
}

function legacyOptions(batch: number): object {
  return {
    flushAt: batch,
    flushInterval: 500,
    // The name of `flushInterval` in versions 1 and 2.
    flushAfter: 500,
    retryCount: RETRIES.legacy,
    // Without it, some versions throw on failures.
    errorHandler: (error: unknown) => say({ error: messageOf(error) }),
  }
}

const [module = '', flavour = ''] = process.argv.slice(2)
const environment = (name: string): string => process.env[`COMPAT_${name}`] ?? ''
const write = process.stdout.write.bind(process.stdout)
const say = (line: object): void => void write(`${JSON.stringify(line)}\n`)
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

// Some libraries print to stdout, and some throw errors outside of any call.
process.stdout.write = process.stderr.write.bind(process.stderr)
// This fails once the suite has exited.
process.stdout.on('error', () => process.exit(1))
process.on('uncaughtException', (error) => say({ error: messageOf(error) }))

const client = FLAVOURS[flavour]!(constructorOf(module), {
  writeKey: environment('WRITE_KEY'),
  endpoint: environment('ENDPOINT'),
  batch: Number(environment('BATCH')),
  gzip: environment('GZIP') === '1',
})
// This client is an event emitter. The others report only to callbacks.
if ('on' in client) {
  const listen = client['on'] as unknown as (event: string, listener: Settled) => void
  listen.call(client, 'error', (error) => say({ error: messageOf(error) }))
}

const outstanding = new Set<Promise<void>>()
for (const line of readFileSync(environment('CALLS'), 'utf8').split('\n').filter(Boolean)) {
  make(JSON.parse(line) as Call)
  await wait(Number(environment('PAUSE_MS')))
}
await Promise.race([finish(), wait(SETTLED_WITHIN_MS)])
say({ done: true })
process.exit()

function make({ id, type, timestamp, ...fields }: Call): void {
  if (typeof client[type] !== 'function') return say({ lacks: type, id })
  say({ made: id })
  const message = timestamp === undefined ? fields : { ...fields, timestamp: new Date(timestamp) }
  const settled = Promise.withResolvers<void>()
  outstanding.add(settled.promise)
  try {
    client[type](message, (error) => {
      if (error !== undefined && error !== null) say({ error: messageOf(error), id })
      settled.resolve()
    })
  } catch (error) {
    say({ error: messageOf(error), id })
    settled.resolve()
  }
}

/** Flushes the queue, and waits until the library has reported each call. */
async function finish(): Promise<void> {
  if ('closeAndFlush' in client) {
    const close = client['closeAndFlush'] as unknown as (options: object) => Promise<void>
    await close.call(client, { timeout: SETTLED_WITHIN_MS })
  }
  const flush = client['flush'] as unknown as () => unknown
  const flushing = setInterval(() => flavour === 'rudder-1' && flush.call(client), FLUSH_EVERY_MS)
  await Promise.all(outstanding)
  clearInterval(flushing)
}

/** The class is the module, its default export, or its `Analytics` export. */
function constructorOf(name: string): Constructor {
  const require = createRequire(join(environment('FOLDER'), 'program.js'))
  const exported = require(name) as { Analytics?: Constructor; default?: Constructor }
  return exported.Analytics ?? exported.default ?? (exported as Constructor)
}

function messageOf(error: unknown): string {
  const { message, code, reason } = error as { message?: string; code?: string; reason?: unknown }
  return message ?? code ?? JSON.stringify(reason ?? error) ?? 'unknown'
}
