import {
  cpuMicrosPerEvent,
  loadedBareServer,
  loadedDelivery,
  type LoadedProgram,
  loadedService,
} from '../load/loaded-program.ts'
import { BATCH } from '../load/throughput.ts'
import type { Benchmark, Figure, Goal, RunSettings } from './benchmark.ts'

/** The same number as in the load from call to receiver. */
const CONNECTIONS = 64

/**
 * CPU time of an event from call to receiver, compared with the minimum cost: the bare server for its call plus the bare
 * loop for its delivery.
 */
export function costRatio(goals: { readonly singleCalls: number }): Benchmark {
  return {
    async run(settings) {
      const singles: Costs[] = []
      const batches: Costs[] = []
      for (let round = 0; round < settings.rounds; round++) {
        singles.push(await measure(1, settings, round))
        batches.push(await measure(BATCH, settings, round))
      }
      return {
        figures: [
          ...figures('single calls', singles, { atMost: goals.singleCalls }),
          ...figures(`batches of ${BATCH}`, batches),
        ],
        notes: [
          'one destination; user and system CPU time of all threads of each program (process.cpuUsage) under separate loads with 64 concurrent connections or requests',
          'the goal is for single calls: the bare server only parses the JSON of a batch without handling its calls, so an event costs it almost nothing',
        ],
      }
    },
  }
}

/** In microseconds of CPU time per event. */
interface Costs {
  readonly hookline: number
  readonly server: number
  readonly loop: number
}

async function measure(count: number, settings: RunSettings, round: number): Promise<Costs> {
  const { seconds, warmUpSeconds = seconds / 2 } = settings
  const costOf = async (open: () => Promise<LoadedProgram>): Promise<number> => {
    await using loaded = await open()
    // The first measurement only warms up code and sockets.
    await loaded.measure(warmUpSeconds)
    return await cpuMicrosPerEvent(loaded, seconds)
  }
  const hookline = () => costOf(() => loadedService(count))
  const server = () => costOf(() => loadedBareServer({ count, connections: CONNECTIONS }))
  const loop = () => costOf(() => loadedDelivery('delivery-bare.ts'))
  // The order alternates, as in every comparison.
  if (round % 2 === 0) {
    return { hookline: await hookline(), server: await server(), loop: await loop() }
  }
  return { loop: await loop(), server: await server(), hookline: await hookline() }
}

function figures(calls: string, costs: readonly Costs[], goal?: Goal): readonly Figure[] {
  const unit = 'µs/event'
  const values = (of: (cost: Costs) => number): readonly number[] => costs.map(of)
  return [
    { name: `Hookline, ${calls}`, unit, values: values(({ hookline }) => hookline) },
    { name: `bare server, ${calls}`, unit, values: values(({ server }) => server) },
    { name: `bare loop, ${calls}`, unit, values: values(({ loop }) => loop) },
    {
      name: `ratio, ${calls}`,
      unit: '',
      values: values(({ hookline, server, loop }) => hookline / (server + loop)),
      goal,
    },
  ]
}
