import { loadedBareServer, loadedIngest } from '../load/loaded-program.ts'
import type { Benchmark } from './benchmark.ts'
import { comparison } from './comparison.ts'

/** Enough concurrent calls to keep ingestion busy while it waits for the disk. */
export const CONNECTIONS = 256
/** A smaller number of concurrent calls, measured without a goal. */
const FEWER_CONNECTIONS = 64

/** Calls per second in requests of `count` calls, each on disk before its 200, compared with a bare server. */
export function ingest(count: number, goal: number): Benchmark {
  const many = compared({ count, connections: CONNECTIONS }, goal)
  const fewer = compared({ count, connections: FEWER_CONNECTIONS })
  return {
    async run(settings) {
      const measured = await many.run(settings)
      const besides = (await fewer.run(settings)).figures.map((figure) => ({
        ...figure,
        name: `${figure.name}, ${FEWER_CONNECTIONS} connections`,
      }))
      return { ...measured, figures: [...measured.figures, ...besides] }
    },
  }
}

function compared(
  load: { readonly count: number; readonly connections: number },
  goal?: number,
): Benchmark {
  return comparison({
    unit: 'calls/s',
    hookline: { name: 'Hookline', open: () => loadedIngest(load) },
    peers: [{ name: 'bare node:http', open: () => loadedBareServer(load), goal }],
  })
}
