// Makes the calls in a file with @segment/analytics-react-native, without its native modules.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Call, CallType } from '../../scenarios/call.ts'

const SETTLED_WITHIN_MS = 30_000

type Event = Readonly<Record<string, unknown>>
type Enrich = (event: Event) => Event
type Method = (...args: readonly unknown[]) => Promise<void>
interface Client extends Readonly<Partial<Record<CallType, Method>>> {
  readonly isReady: { readonly value: boolean }
  pendingEvents(): Promise<number>
  reset(): Promise<void>
  flush(): Promise<void>
}

const environment = (name: string): string => process.env[`COMPAT_${name}`] ?? ''
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const client = createClient()
await until(() => client.isReady.value)
for (const line of readFileSync(environment('CALLS'), 'utf8').split('\n').filter(Boolean)) {
  await make(JSON.parse(line) as Call)
  await wait(Number(environment('PAUSE_MS')))
}
await until(async () => {
  await client.flush()
  return (await client.pendingEvents()) === 0
})
say({ done: true })
process.exit()

function createClient(): Client {
  const library = createRequire(join(environment('FOLDER'), 'program.js'))(
    '@segment/analytics-react-native',
  ) as { createClient(config: object): Client }
  const batch = Number(environment('BATCH'))
  return library.createClient({
    writeKey: environment('WRITE_KEY'),
    proxy: `${environment('ENDPOINT')}/v1`,
    cdnProxy: `${environment('ENDPOINT')}/v1`,
    useSegmentEndpoints: true,
    // Without it, calls made while the settings cannot be loaded are lost.
    defaultSettings: { integrations: { 'Segment.io': { apiKey: environment('WRITE_KEY') } } },
    // Without it, the library accepts only https.
    allowInsecureProxy: true,
    flushAt: batch,
    flushInterval: 1,
    maxBatchSize: batch,
    storePersistor: memoryStore(),
    debug: false,
    errorHandler: (error: Error) => say({ error: error.message }),
  })
}

/** Replaces the queue storage of the native modules. */
function memoryStore(): object {
  const values = new Map<string, unknown>()
  return {
    get: async (key: string) => values.get(key),
    set: async (key: string, value: unknown) => void values.set(key, value),
  }
}

async function make(call: Call): Promise<void> {
  const method = client[call.type]
  if (method === undefined) return say({ lacks: call.type, id: call.id })
  say({ made: call.id })
  await client.reset()
  try {
    await method.call(client, ...argumentsOf(call), enrichWith(call))
  } catch (error) {
    say({ error: (error as Error).message, id: call.id })
  }
}

function argumentsOf(call: Call): readonly unknown[] {
  const { type, userId, event, name, groupId, traits, properties } = call
  if (type === 'identify') return [userId, traits]
  if (type === 'group') return [groupId, traits]
  if (type === 'alias') return [userId]
  return [type === 'track' ? event : name, properties]
}

/** Adds the fields that the methods have no arguments for. */
function enrichWith({ userId, anonymousId, previousId, context, ...call }: Call): Enrich {
  return (event) => ({
    ...event,
    ...(userId !== undefined && { userId }),
    ...(anonymousId !== undefined && { anonymousId }),
    ...(previousId !== undefined && { previousId }),
    ...(context !== undefined && { context: { ...(event['context'] as object), ...context } }),
    ...(call.integrations !== undefined && { integrations: call.integrations }),
    ...(call.timestamp !== undefined && { timestamp: new Date(call.timestamp).toISOString() }),
  })
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + SETTLED_WITHIN_MS
  while (Date.now() < end && !(await isTrue())) await wait(50)
}
