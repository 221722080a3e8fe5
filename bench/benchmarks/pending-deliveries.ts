import type { Benchmark, RunSettings } from './benchmark.ts'
import { EventReceiver } from '../load/event-receiver.ts'
import { largeData } from '../load/large-data.ts'
import { ServiceProcess } from '../load/service-process.ts'
import { emptyService, type LoadedService, throughput } from '../load/throughput.ts'

// The cost of a million pending deliveries for a service that starts with them.

const PENDING = 1_000_000
const MIB = 2 ** 20

/** Memory of the process after the same load, with and without pending deliveries. */
export function memory(goals: { readonly moreMib: number }): Benchmark {
  return {
    async run(settings) {
      const pending = pendingFor(settings)
      await using receiver = await new EventReceiver().open()
      using data = await largeData(receiver, { pending, history: 0 })
      const empty: number[] = []
      const full: number[] = []
      for (let round = 0; round < settings.rounds; round++) {
        empty.push(await residentMib(receiver, settings, await emptyService(receiver)))
        const service = await ServiceProcess.start(data.path)
        full.push(await residentMib(receiver, settings, { service, source: data.source }))
      }
      const more = full.map((value, round) => value - empty[round]!)
      return {
        figures: [
          { name: 'full', unit: 'MiB', values: full },
          { name: 'empty', unit: 'MiB', values: empty },
          { name: 'difference', unit: 'MiB', values: more, goal: { atMost: goals.moreMib } },
        ],
        notes: [
          `full: ${pendingText(pending)}; resident memory of the process after the same load`,
        ],
      }
    },
  }
}

async function residentMib(
  receiver: EventReceiver,
  settings: RunSettings,
  loaded: LoadedService,
): Promise<number> {
  await using service = loaded.service
  await throughput(receiver, loaded, settings.seconds / 2)
  return (await service.usage()).residentBytes / MIB
}

/** The time from the start of the process to the first pending delivery. */
export function restart(goals: { readonly seconds: number }): Benchmark {
  return {
    async run(settings) {
      const pending = pendingFor(settings)
      await using receiver = await new EventReceiver().open()
      // A tenth is due: more than all rounds need, because each stops after its first delivery.
      using data = await largeData(receiver, { pending, due: pending / 10, history: 0 })
      const first: number[] = []
      const accepting: number[] = []
      for (let round = 0; round < settings.rounds; round++) {
        const { promise: arrived, resolve } = Promise.withResolvers<number>()
        receiver.onEvent = () => resolve(performance.now())
        const started = performance.now()
        await using _service = await ServiceProcess.start(data.path)
        accepting.push((performance.now() - started) / 1000)
        first.push(((await arrived) - started) / 1000)
      }
      const goal = { atMost: goals.seconds }
      return {
        figures: [
          { name: 'first delivery', unit: 's', values: first, goal },
          { name: 'accepts calls', unit: 's', values: accepting },
        ],
        notes: [
          `${pendingText(pending)}, a tenth of them due; times are measured from the start of the process`,
        ],
      }
    },
  }
}

function pendingFor({ isQuick }: RunSettings): number {
  return isQuick ? PENDING / 20 : PENDING
}

function pendingText(pending: number): string {
  return `${pending.toLocaleString('en')} pending deliveries`
}
