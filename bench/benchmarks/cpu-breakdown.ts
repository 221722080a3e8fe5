import {
  loadedDelivery,
  loadedIngest,
  type LoadedProgram,
  usageDuring,
} from '../load/loaded-program.ts'
import { BATCH } from '../load/throughput.ts'
import { sourceLines } from '../profile/source-lines.ts'
import { type PartCost, costByPart } from '../profile/part-costs.ts'
import type { CpuProfile } from '../profile/ticks.ts'
import { type Benchmark, median, type RunSettings, type Table } from './benchmark.ts'
import { CONNECTIONS } from './ingest.ts'

const LOADS: Readonly<Record<string, () => Promise<LoadedProgram>>> = {
  delivery: () => loadedDelivery('delivery-hookline.ts'),
  'ingest, single calls': () => loadedIngest({ count: 1, connections: CONNECTIONS }),
  [`ingest, batches of ${BATCH}`]: () => loadedIngest({ count: BATCH, connections: CONNECTIONS }),
}

/** The breakdown of an event's CPU time, from CPU times and CPU profiles of each thread. */
export function cpuBreakdown(): Benchmark {
  return {
    async run(settings) {
      if (process.platform !== 'linux') {
        return { figures: [], notes: ['missing: CPU times of threads, which need Linux'] }
      }
      // A quick run only checks that the benchmark works.
      const loads = Object.entries(LOADS).slice(0, settings.isQuick ? 2 : undefined)
      const rounds = new Map(loads.map(([load]) => [load, [] as (readonly PartCost[])[]]))
      for (let round = 0; round < settings.rounds; round++) {
        for (const [load, open] of loads) {
          rounds.get(load)!.push(await measure(open, settings))
        }
      }
      return {
        figures: [...rounds].map(([name, of]) => ({
          name: `CPU, ${name}`,
          unit: 'µs/event',
          values: of.map((parts) => parts.reduce((sum, each) => sum + each.microsPerEvent, 0)),
        })),
        tables: [...rounds].map(([name, of]) => tableOf(name, of)),
        notes: NOTES,
      }
    },
  }
}

const NOTES = [
  'CPU time of each thread, from /proc, without a profiler. It is divided in proportion to the samples of a profile recorded afterwards under the same load',
  'a native function without its own row counts towards the subfolder or library that calls it',
]

async function measure(
  open: () => Promise<LoadedProgram>,
  { seconds }: RunSettings,
): Promise<readonly PartCost[]> {
  await using loaded = await open()
  const { program } = loaded
  await loaded.measure(seconds / 2)
  const { usage, events } = await usageDuring(loaded, seconds)
  const texts = await program.profiles(() => loaded.measure(seconds))
  const profiles = texts.map(([thread, text]) => [thread, JSON.parse(text) as CpuProfile] as const)
  return costByPart({ profiles, usage, events, lineOf: sourceLines() })
}

/** A row for each part of each thread, the most expensive first. */
function tableOf(name: string, rounds: readonly (readonly PartCost[])[]): Table {
  const keys = new Map(
    rounds.flatMap((parts) =>
      parts.map(({ thread, part }) => [`${thread}\n${part}`, [thread, part]] as const),
    ),
  )
  const rows = [...keys.values()].map((labels) => ({
    labels,
    values: [
      rounds.map((parts) => {
        const found = parts.find(({ thread, part }) => thread === labels[0] && part === labels[1])
        return found?.microsPerEvent ?? 0
      }),
    ],
  }))
  return {
    name,
    labels: ['thread', 'part'],
    columns: ['µs/event'],
    rows: rows.toSorted((a, b) => median(b.values[0]!) - median(a.values[0]!)),
  }
}
