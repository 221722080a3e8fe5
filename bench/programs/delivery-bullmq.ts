import type { Event } from '@hookline/protocol'
import { randomUUID } from 'node:crypto'
import { Queue, Worker } from 'bullmq'
import { CONCURRENCY, openDelivery } from '../load/delivery-request.ts'
import { respondWith, SteadyStream } from '../load/steady-stream.ts'
import { redisUrl } from '../load/peer-servers.ts'

// Delivery with BullMQ on Redis, tuned as its documentation recommends: jobs are added in bulk, one worker has the
// same concurrency as Hookline, and completed jobs are removed, so no history accumulates.

const deliver = openDelivery(Number(process.argv[2]))
const name = `hookline-bench-${randomUUID()}`
const connection = { url: redisUrl() }

const queue = new Queue<Event>(name, {
  connection,
  defaultJobOptions: { removeOnComplete: true, attempts: 10, backoff: { type: 'exponential' } },
})
const worker = new Worker<Event>(name, (job) => deliver(job.data), {
  connection,
  concurrency: CONCURRENCY,
})
await worker.waitUntilReady()

const stream = new SteadyStream({
  outstanding: 1_000,
  append: (events) => queue.addBulk(events.map((data) => ({ name: 'deliver', data }))),
})
worker.on('completed', () => stream.done(1))

respondWith(stream, async () => {
  await worker.close()
  await queue.obliterate({ force: true })
  await queue.close()
})
