import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Benchmark, type RunSettings } from './benchmark.ts'
import { call } from '../load/calls.ts'
import { EndToEndLoad } from '../load/end-to-end-load.ts'
import { EventReceiver } from '../load/event-receiver.ts'
import { ServiceProcess } from '../load/service-process.ts'
import { temporaryDataDir } from '../load/temporary-data-dir.ts'
import { BATCH } from '../load/throughput.ts'

/** The cost of an event from call to receiver: CPU time, and bytes on disk. */
export function cost(): Benchmark {
  return {
    async run(settings) {
      const batches: Cost[] = []
      const singles: Cost[] = []
      for (let round = 0; round < settings.rounds; round++) {
        batches.push(await measure(BATCH, settings))
        singles.push(await measure(1, settings))
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
          'one destination; CPU time (user and system) of all threads of the service; size of the database with its indexes',
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

async function measure(count: number, settings: RunSettings): Promise<Cost> {
  using folder = temporaryDataDir()
  const { events, ...cpu } = await loadService(folder.path, count, settings)
  // The service has stopped, so its database is one file.
  return { ...cpu, diskBytes: statSync(join(folder.path, 'hookline.db')).size / events }
}

async function loadService(
  dataDir: string,
  count: number,
  { seconds }: RunSettings,
): Promise<Omit<Cost, 'diskBytes'> & { readonly events: number }> {
  await using receiver = await new EventReceiver().open()
  await using service = await ServiceProcess.start(dataDir)
  const { writeKey } = await service.addSource(receiver.urlOf('/hook'))
  await using endToEndLoad = await EndToEndLoad.open({
    port: service.port,
    writeKey,
    receiver,
    count,
  })
  /** The CPU time per event that `work` sends, in microseconds. */
  const during = async (work: () => Promise<unknown>): Promise<number> => {
    const [before, sent] = [await service.usage(), endToEndLoad.sent]
    await work()
    return ((await service.usage()).cpuMicros - before.cpuMicros) / (endToEndLoad.sent - sent)
  }
  await endToEndLoad.throughput(seconds / 2)
  let maximum = 0
  const cpuMicros = await during(async () => (maximum = await endToEndLoad.throughput(seconds)))
  const half = { eventsPerSecond: maximum / 2, seconds }
  const cpuMicrosAtHalf = await during(() => endToEndLoad.latenciesMs(half))
  return { cpuMicros, cpuMicrosAtHalf, events: endToEndLoad.sent }
}
