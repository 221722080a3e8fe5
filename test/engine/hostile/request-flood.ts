/** The thread of `floodWith`: sends the requests, and finally reports the statuses of the responses. */
import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

export interface RequestFlood {
  readonly port: number
  readonly localAddress: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly count: number
  readonly connections: number
}

/** The number of responses by status. */
export type Statuses = Readonly<Record<number, number>>

const { port, localAddress, method, path, count, connections } = workerData as RequestFlood
const agent = new Agent({ keepAlive: true, maxSockets: connections })
const statuses: Record<number, number> = {}

/** The first characters differ, because the log shows them. */
const guess = (index: number): string =>
  `Bearer ${index.toString(36).padStart(6, '0')}${'x'.repeat(30)}`

function send(index: number): Promise<void> {
  const headers = { authorization: guess(index), 'content-length': 0 }
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  request({ port, host: '127.0.0.1', localAddress, agent, method, path, headers }, (response) => {
    const { statusCode = 0 } = response
    statuses[statusCode] = (statuses[statusCode] ?? 0) + 1
    response.resume().once('end', resolve)
  })
    .once('error', reject)
    .end()
  return promise
}

let next = 0
await Promise.all(
  Array.from({ length: connections }, async () => {
    while (next < count) await send(next++)
  }),
)
agent.destroy()
parentPort!.postMessage(statuses)
