import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Benchmark, type Effort } from './benchmark.ts'
import { call } from './calls.ts'
import { BATCH } from './in-turn.ts'
import { Arrivals, Passage } from './passage.ts'
import { Service, temporaryDataDir } from './service.ts'

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
          'one destination; all threads of the service, user and system; the database with its indexes, compacted by nothing',
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

async function measure(count: number, { seconds }: Effort): Promise<Cost> {
  using folder = temporaryDataDir()
  let events = 0
  await using arrivals = await new Arrivals().open()
  const cpu = await (async () => {
    await using service = await Service.start(folder.path)
    const { writeKey } = await service.addSource(arrivals.urlOf('/hook'))
    await using passage = await Passage.open({ port: service.port, writeKey, arrivals, count })
    /** Microseconds for each event of a load. */
    const during = async (load: () => Promise<unknown>): Promise<number> => {
      const [before, sent] = [await service.usage(), passage.sent]
      await load()
      return ((await service.usage()).cpuMicros - before.cpuMicros) / (passage.sent - sent)
    }
    await passage.throughput(seconds / 2)
    let most = 0
    const cpuMicros = await during(async () => (most = await passage.throughput(seconds)))
    const half = { eventsPerSecond: most / 2, seconds }
    const cpuMicrosAtHalf = await during(() => passage.latenciesMs(half))
    events = passage.sent
    return { cpuMicros, cpuMicrosAtHalf }
  })()
  return { ...cpu, diskBytes: statSync(join(folder.path, 'hookline.db')).size / events }
}
