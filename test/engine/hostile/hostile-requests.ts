import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { RequestFlood, Statuses } from './request-flood.ts'

/**
 * Sends requests as fast as the service responds, each with a different `Authorization`, and returns the number of responses by
 * status. Runs in a dedicated thread, so that it does not delay the healthy clients.
 */
export async function floodWith(flood: Omit<RequestFlood, 'localAddress'>): Promise<Statuses> {
  const workerData: RequestFlood = { ...flood, localAddress: '127.0.0.66' }
  const thread = new Worker(new URL('request-flood.ts', import.meta.url), { workerData })
  const [statuses] = (await once(thread, 'message')) as [Statuses]
  await thread.terminate()
  return statuses
}
