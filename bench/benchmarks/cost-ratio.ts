import {
  costPerEvent,
  type EventCost,
  loadedBareServer,
  loadedDelivery,
  type LoadedProgram,
  loadedService,
} from '../load/loaded-program.ts'
import { BATCH } from '../load/throughput.ts'
import type { Benchmark, Figure, Goal, RunSettings, Table } from './benchmark.ts'
import { threadTable } from './comparison.ts'

/** Concurrent requests, as many as in the load from call to receiver. */
const CONNECTIONS = 64

/**
 * CPU time per event from call to receiver, compared with the minimum cost: the bare server for its call plus the bare
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
        tables: threads([
          ['single calls', singles],
          [`batches of ${BATCH}`, batches],
        ]),
        notes: [
          'one destination; user and system CPU time of all threads of each program (process.cpuUsage) under separate loads with 64 concurrent connections or requests',
          'the goal is for single calls: the bare server only parses the JSON of a batch without handling its calls, so an event costs it almost nothing',
        ],
      }
    },
  }
}

interface Costs {
  readonly hookline: EventCost
  readonly server: EventCost
  readonly loop: EventCost
}

async function measure(count: number, settings: RunSettings, round: number): Promise<Costs> {
  const { seconds, warmUpSeconds = seconds / 2 } = settings
  const costOf = async (open: () => Promise<LoadedProgram>): Promise<EventCost> => {
    await using loaded = await open()
    // The first measurement only warms up code and sockets.
    await loaded.measure(warmUpSeconds)
    return await costPerEvent(loaded, seconds)
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

const PROGRAMS = [
  ['Hookline', 'hookline'],
  ['bare server', 'server'],
  ['bare loop', 'loop'],
] as const

function figures(calls: string, costs: readonly Costs[], goal?: Goal): readonly Figure[] {
  const programs = PROGRAMS.map(([name, program]) => ({
    name: `${name}, ${calls}`,
    unit: 'µs/event',
    values: costs.map((cost) => cost[program].micros),
  }))
  const ratios = costs.map(
    ({ hookline, server, loop }) => hookline.micros / (server.micros + loop.micros),
  )
  return [...programs, { name: `ratio, ${calls}`, unit: '', values: ratios, goal }]
}

function threads(loads: readonly (readonly [calls: string, readonly Costs[]])[]): readonly Table[] {
  return threadTable(
    loads.flatMap(([calls, costs]) =>
      PROGRAMS.map(
        ([name, program]) =>
          [`${name}, ${calls}`, costs.map((cost) => cost[program].byThread)] as const,
      ),
    ),
  )
}
