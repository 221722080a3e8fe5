import { requestTemplate } from '../load/calls.ts'
import { Child } from '../load/child.ts'
import type { Benchmark } from './benchmark.ts'
import { comparison, type Side } from './comparison.ts'
import { RawClient } from '../load/raw-client.ts'
import { ServiceProcess } from '../load/service-process.ts'

const CONNECTIONS = 64

/** Calls per second in requests of `count` calls, each on disk before its 200, compared with a bare server. */
export function ingest(path: string, count: number, goal: number): Benchmark {
  const measured = (port: number, writeKey: string) => async (seconds: number) => {
    const nextRequest = requestTemplate(path, writeKey, { count })
    return count * (await requestsPerSecond({ port, seconds, nextRequest }))
  }
  const hookline: Side = {
    name: 'Hookline',
    async open() {
      const service = await ServiceProcess.start()
      const { writeKey } = await service.addSource()
      return {
        measure: measured(service.port, writeKey),
        [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
      }
    },
  }
  const bare: Side = {
    name: 'bare node:http',
    async open() {
      const [child, port] = await Child.start('bare-server.ts')
      return {
        measure: measured(Number(port), 'none'),
        [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
      }
    },
  }
  return comparison({ unit: 'calls/s', hookline, peers: [{ ...bare, goal }] })
}

/** Closed loop: each connection sends its next request after the response to the last one. */
async function requestsPerSecond(options: {
  readonly port: number
  readonly seconds: number
  readonly nextRequest: () => Buffer
}): Promise<number> {
  const { port, seconds, nextRequest } = options
  let sent = 0
  let end = Infinity
  const next = (): Buffer | undefined => {
    if (performance.now() >= end) return undefined
    sent++
    return nextRequest()
  }
  await using client = await RawClient.open({ port, connections: CONNECTIONS, next })
  const started = performance.now()
  end = started + seconds * 1000
  client.poke()
  await client.idle()
  return sent / ((performance.now() - started) / 1000)
}
