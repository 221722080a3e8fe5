import type { Benchmark } from './benchmark.ts'
import { Child } from '../load/child.ts'
import { comparison, type Side } from '../load/compare.ts'

interface Goals {
  readonly goal: number
  readonly ownGoal: number
}

/** `track()` calls enqueued per second on one core, by clients whose server does not answer. */
export function clientRate(goals: Goals): Benchmark {
  return compared('calls/s', 'rate', goals)
}

/** Bytes of a queued call's JSON for each byte of memory that it takes. 0.67 is 1.5 bytes for a byte. */
export function clientMemory(goals: Goals): Benchmark {
  return compared('bytes of JSON/byte of memory', 'memory', goals)
}

function compared(unit: string, measured: 'rate' | 'memory', { goal, ownGoal }: Goals): Benchmark {
  const side = (name: string, script: string): Side => ({
    name,
    async open() {
      const [child] = await Child.start(script, [measured])
      return {
        measure: async (seconds) => Number(await child.ask({ seconds })),
        [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
      }
    },
  })
  const hookline = side('@hookline/client', 'client-hookline.ts')
  const segment = { ...side('@segment/analytics-node', 'client-segment.ts'), goal }
  return comparison({ unit, hookline, against: [segment], ownGoal })
}
