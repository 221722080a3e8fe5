import type { Event } from '@hookline/protocol'
import { randomUUID } from 'node:crypto'
import { type Job, PgBoss } from 'pg-boss'
import { CONCURRENCY, openDelivery } from '../load/delivery-request.ts'
import { respondWith, SteadyStream } from '../load/steady-stream.ts'
import { postgresUrl } from '../load/peer-servers.ts'

// Delivery with pg-boss on PostgreSQL, tuned as its documentation recommends: jobs are inserted, fetched and completed
// in bulk, without polling intervals. Several batches run concurrently, so that sockets are busy while other batches
// fetch or complete.

const BATCHES = 8
const BATCH = CONCURRENCY

const deliver = openDelivery(Number(process.argv[2]))
const schema = `hookline_bench_${randomUUID().slice(0, 8)}`
const queue = 'deliveries'
const boss = new PgBoss({
  connectionString: postgresUrl(),
  schema,
  supervise: false,
  schedule: false,
  max: 2 * BATCHES,
})
boss.on('error', (error) => {
  throw error
})
await boss.start()
await boss.createQueue(queue, { retryLimit: 10, retryBackoff: true })

/** Resolves with the next insert. Within one process this replaces polling and NOTIFY. */
let inserted = Promise.withResolvers<void>()
function notifyInserted(): void {
  inserted.resolve()
  inserted = Promise.withResolvers()
}

const stream = new SteadyStream({
  outstanding: 1_000,
  append: async (events) => {
    const jobs = events.map((data) => ({ data }))
    await boss.insert(queue, jobs)
    notifyInserted()
  },
})

const stopping = new AbortController()
async function work(): Promise<void> {
  while (!stopping.signal.aborted) {
    const more = inserted.promise
    const jobs = await boss.fetch<Event>(queue, { batchSize: BATCH })
    if (jobs.length > 0) await deliverAll(jobs)
    else await more
  }
}

async function deliverAll(jobs: readonly Job<Event>[]): Promise<void> {
  const results = await Promise.allSettled(jobs.map(({ data }) => deliver(data)))
  const idsOf = (status: string): string[] =>
    jobs.filter((_, index) => results[index]!.status === status).map(({ id }) => id)
  const failed = idsOf('rejected')
  if (failed.length > 0) await boss.fail(queue, failed)
  await boss.complete(queue, idsOf('fulfilled'))
  stream.done(jobs.length - failed.length)
}

const working = Promise.all(Array.from({ length: BATCHES }, work))

respondWith(stream, async () => {
  stopping.abort()
  notifyInserted()
  await working
  await boss.getDb().executeSql(`DROP SCHEMA ${schema} CASCADE`)
  await boss.stop({ graceful: false })
})
