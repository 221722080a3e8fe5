import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Benchmark, type Effort } from './benchmark.ts'
import { call } from '../load/calls.ts'
import { BATCH } from '../load/in-turn.ts'
import { Arrivals, Passage } from '../load/passage.ts'
import { Service, temporaryDataDir } from '../load/service.ts'

/** What an event costs from call to receiver: time of a processor, and bytes on disk. */
export function cost(): Benchmark {
  return {
    async run(effort) {
      const batches: Cost[] = []
      const singles: Cost[] = []
      for (let round = 0; round < effort.rounds; round++) {
        batches.push(await measure(BATCH, effort))
        singles.push(await measure(1, effort))
      }
      const of = (costs: readonly Cost[], name: keyof Cost): readonly number[] =>
        costs.map((each) => each[name])
      return {
        figures: [
          {
            name: `CPU, calls in batches of ${BATCH}`,
            unit: 'µs/event',
            values: of(batches, 'cpuMicros'),
          },
          { name: 'CPU, single calls', unit: 'µs/event', values: of(singles, 'cpuMicros') },
          {
            name: 'CPU, single calls at half rate',
            unit: 'µs/event',
            values: of(singles, 'cpuMicrosAtHalf'),
          },
          { name: 'disk', unit: 'bytes/event', values: of(batches, 'diskBytes') },
          { name: 'a call as JSON', unit: 'bytes', values: [JSON.stringify(call()).length] },
        ],
        notes: [
          'one destination; all threads of the service, user and system; the database with its indexes',
        ],
      }
    },
  }
}

interface Cost {
  readonly cpuMicros: number
  readonly cpuMicrosAtHalf: number
  readonly diskBytes: number
}

async function measure(count: number, effort: Effort): Promise<Cost> {
  using folder = temporaryDataDir()
  const { events, ...cpu } = await load(folder.path, count, effort)
  // The service has stopped: its database is one file now.
  return { ...cpu, diskBytes: statSync(join(folder.path, 'hookline.db')).size / events }
}

async function load(
  dataDir: string,
  count: number,
  { seconds }: Effort,
): Promise<Omit<Cost, 'diskBytes'> & { readonly events: number }> {
  await using arrivals = await new Arrivals().open()
  await using service = await Service.start(dataDir)
  const { writeKey } = await service.addSource(arrivals.urlOf('/hook'))
  await using passage = await Passage.open({ port: service.port, writeKey, arrivals, count })
  /** Microseconds for each event of what is done. */
  const during = async (work: () => Promise<unknown>): Promise<number> => {
    const [before, sent] = [await service.usage(), passage.sent]
    await work()
    return ((await service.usage()).cpuMicros - before.cpuMicros) / (passage.sent - sent)
  }
  await passage.throughput(seconds / 2)
  let most = 0
  const cpuMicros = await during(async () => (most = await passage.throughput(seconds)))
  const half = { eventsPerSecond: most / 2, seconds }
  const cpuMicrosAtHalf = await during(() => passage.latenciesMs(half))
  return { cpuMicros, cpuMicrosAtHalf, events: passage.sent }
}
