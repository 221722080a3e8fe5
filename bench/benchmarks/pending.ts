import type { Benchmark, Effort } from './benchmark.ts'
import { emptyService, type Loaded, throughput } from '../load/in-turn.ts'
import { largeData } from '../load/large-data.ts'
import { Arrivals } from '../load/passage.ts'
import { Service } from '../load/service.ts'

// What a million pending deliveries cost a service that starts with them.

const PENDING = 1_000_000
const MIB = 2 ** 20

/** Memory of the process after the same load, with and without them. */
export function memory(goals: { readonly moreMib: number }): Benchmark {
  return {
    async run(effort) {
      const pending = pendingFor(effort)
      await using arrivals = await new Arrivals().open()
      using data = await largeData(arrivals, { pending, history: 0 })
      const empty: number[] = []
      const full: number[] = []
      for (let round = 0; round < effort.rounds; round++) {
        empty.push(await residentMib(arrivals, effort, await emptyService(arrivals)))
        const service = await Service.start(data.path)
        full.push(await residentMib(arrivals, effort, { service, source: data.source }))
      }
      const more = full.map((value, round) => value - empty[round]!)
      return {
        figures: [
          { name: 'full', unit: 'MiB', values: full },
          { name: 'empty', unit: 'MiB', values: empty },
          { name: 'difference', unit: 'MiB', values: more, goal: { atMost: goals.moreMib } },
        ],
        notes: [`full: ${shown(pending)}; resident memory of the process after the same load`],
      }
    },
  }
}

async function residentMib(arrivals: Arrivals, effort: Effort, loaded: Loaded): Promise<number> {
  await using service = loaded.service
  await throughput(arrivals, loaded, effort.seconds / 2)
  return (await service.usage()).residentBytes / MIB
}

/** From the start of the process to the first delivery of one that waited. */
export function restart(goals: { readonly seconds: number }): Benchmark {
  return {
    async run(effort) {
      const pending = pendingFor(effort)
      await using arrivals = await new Arrivals().open()
      // More are due than all rounds together deliver: each is stopped after its first.
      using data = await largeData(arrivals, { pending, due: pending / 10, history: 0 })
      const first: number[] = []
      const accepting: number[] = []
      for (let round = 0; round < effort.rounds; round++) {
        const { promise: arrived, resolve } = Promise.withResolvers<number>()
        arrivals.onEvent = () => resolve(performance.now())
        const started = performance.now()
        await using _service = await Service.start(data.path)
        accepting.push((performance.now() - started) / 1000)
        first.push(((await arrived) - started) / 1000)
      }
      const goal = { atMost: goals.seconds }
      return {
        figures: [
          { name: 'first delivery', unit: 's', values: first, goal },
          { name: 'accepts calls', unit: 's', values: accepting },
        ],
        notes: [`${shown(pending)}, a tenth of them due; from the start of the process`],
      }
    },
  }
}

function pendingFor({ isQuick }: Effort): number {
  return isQuick ? PENDING / 20 : PENDING
}

function shown(pending: number): string {
  return `${pending.toLocaleString('en')} pending deliveries`
}
