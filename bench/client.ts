import { Child } from './child.ts'
import type { Benchmark, Side } from './compare.ts'

type Goals = Pick<Benchmark, 'goal' | 'ownGoal'>

/** `track()` calls enqueued per second on one core, by clients whose server does not answer. */
export function clientRate(goals: Goals): Benchmark {
  return { unit: 'calls/s', ...goals, ...sides('rate') }
}

/** Bytes of a queued call's JSON for each byte of memory that it takes. 0.67 is 1.5 bytes for a byte. */
export function clientMemory(goals: Goals): Benchmark {
  return { unit: 'bytes of JSON/byte of memory', ...goals, ...sides('memory') }
}

function sides(measured: 'rate' | 'memory'): Pick<Benchmark, 'hookline' | 'against'> {
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
  return {
    hookline: side('@hookline/client', 'client-hookline.ts'),
    against: side('@segment/analytics-node', 'client-segment.ts'),
  }
}
