import { isGoInstalled } from '@hookline/testing/programs/go'
import type { Benchmark } from './benchmark.ts'
import { comparison, type Side } from './comparison.ts'
import { GoProgram } from '../load/go-program.ts'

interface Goals {
  /** The goal for Hookline's library. */
  readonly hookline: number
  /** The ratios to the two versions of the other library. */
  readonly version2: number
  readonly version3: number
}

/** Calls made and serialised by the Go libraries per second on one core, while the server does not respond. */
export function clientGoRate(goals: Goals): Benchmark {
  return compared('calls/s', 'rate', goals)
}

/** Bytes of JSON per byte of memory for a queued call in the Go libraries. */
export function clientGoMemory(goals: Goals): Benchmark {
  return compared('bytes of JSON/byte of memory', 'memory', goals)
}

function compared(unit: string, measured: 'rate' | 'memory', goals: Goals): Benchmark {
  const side = (name: string, program: string): Side => ({
    name,
    open: () => GoProgram.start(program, measured),
  })
  const benchmark = comparison({
    unit,
    hookline: side('clients/go', 'hookline'),
    hooklineGoal: goals.hookline,
    peers: [
      { ...side('analytics-go 2.1.1', 'analytics-go-2'), goal: goals.version2 },
      { ...side('analytics-go 3.3.0', 'analytics-go-3'), goal: goals.version3 },
    ],
  })
  return {
    async run(settings) {
      if (isGoInstalled()) return benchmark.run(settings)
      return { figures: [], notes: ['clients/go: missing: Go'] }
    },
  }
}
