import type { Benchmark } from './benchmark.ts'
import { Child } from '../load/child.ts'
import { comparison, type Side } from './comparison.ts'

interface Goals {
  /** The ratio to the other library. */
  readonly ratio: number
  /** The goal for Hookline's library. */
  readonly hookline: number
}

/** `track()` calls enqueued per second on one core while the server does not respond. */
export function clientRate(goals: Goals): Benchmark {
  return compared('calls/s', 'rate', goals)
}

/** Bytes of JSON per byte of memory for a queued call. 0.67 means 1.5 bytes of memory per byte of JSON. */
export function clientMemory(goals: Goals): Benchmark {
  return compared('bytes of JSON/byte of memory', 'memory', goals)
}

function compared(unit: string, measured: 'rate' | 'memory', goals: Goals): Benchmark {
  const side = (name: string, script: string): Side => ({
    name,
    async open() {
      const [child] = await Child.start(script, [measured])
      return {
        measure: async (seconds) => Number(await child.request({ name: 'rate', seconds })),
        [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
      }
    },
  })
  const hookline = side('@hookline/client', 'client-hookline.ts')
  const segment = { ...side('@segment/analytics-node', 'client-segment.ts'), goal: goals.ratio }
  return comparison({ unit, hookline, peers: [segment], hooklineGoal: goals.hookline })
}
