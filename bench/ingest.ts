import { requestTemplate } from './calls.ts'
import { Child } from './child.ts'
import type { Benchmark, Side } from './compare.ts'
import { load } from './raw-client.ts'

const CONNECTIONS = 64

/** Calls per second in requests of `count` calls, each on disk before its 200, against a bare server. */
export function ingest(path: string, count: number, goal: number): Benchmark {
  const side = (name: string, script: string): Side => ({
    name,
    async open() {
      const [child, ready] = await Child.start(script)
      const { port, writeKey } =
        typeof ready === 'number' ? { port: ready, writeKey: 'none' } : (ready as Ready)
      const nextRequest = requestTemplate(path, writeKey, count)
      return {
        measure: async (seconds) =>
          count * (await load({ port, connections: CONNECTIONS, seconds, nextRequest })),
        [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
      }
    },
  })
  return {
    unit: 'calls/s',
    goal,
    hookline: side('Hookline', 'hookline-server.ts'),
    against: side('bare node:http', 'bare-server.ts'),
  }
}

interface Ready {
  readonly port: number
  readonly writeKey: string
}
