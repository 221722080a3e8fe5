import { costPerEvent, loadedDelivery, type LoadedProgram } from '../load/loaded-program.ts'
import type { Benchmark, RunSettings } from './benchmark.ts'

/** Each step extends the previous one. */
const STEPS: Readonly<Record<string, () => Promise<LoadedProgram>>> = {
  'bare loop': () => loadedDelivery('delivery-bare.ts'),
  'bare loop + log': () => loadedDelivery('delivery-steps.ts'),
  'bare loop + log + records': () => loadedDelivery('delivery-steps.ts', { args: ['records'] }),
  Hookline: () => loadedDelivery('delivery-hookline.ts'),
}

/** CPU time per delivered event, in steps from the bare loop to Hookline, to show the cost of each. */
export function deliverySteps(): Benchmark {
  return {
    async run(settings) {
      const values = new Map(Object.keys(STEPS).map((step) => [step, [] as number[]]))
      for (let round = 0; round < settings.rounds; round++)
        for (const [step, open] of inTurn(Object.entries(STEPS), round))
          values.get(step)!.push(await measure(open, settings))
      return {
        figures: [...values].map(([name, of]) => ({ name, unit: 'µs/event', values: of })),
        notes: ['CPU time of all threads of each program (process.cpuUsage)'],
      }
    },
  }
}

async function measure(
  open: () => Promise<LoadedProgram>,
  { seconds }: RunSettings,
): Promise<number> {
  await using loaded = await open()
  // The first measurement only warms up code and sockets.
  await loaded.measure(seconds / 2)
  return (await costPerEvent(loaded, seconds)).micros
}

/** Reverses the order in every other round. */
function inTurn<T>(items: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? items : items.toReversed()
}
