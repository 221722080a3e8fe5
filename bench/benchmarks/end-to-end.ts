import { type Benchmark, type RunSettings, quantile } from './benchmark.ts'
import { inAlternateOrder } from './comparison.ts'
import { EndToEndLoad } from '../load/end-to-end-load.ts'
import { EventReceiver } from '../load/event-receiver.ts'
import { sendingCalls } from '../load/loaded-program.ts'
import { ServiceProcess } from '../load/service-process.ts'

const FEW = 32
const MANY = 256

/**
 * The latency from call to receiver, at half of the maximum throughput. The load is an open loop:
 * calls are due at random times at a fixed mean rate, and the latency of a call is measured from
 * when it was due, so it includes delays of the sender.
 *
 * For overload, compares the deliveries per second with many and with few clients, each of which
 * sends its next call after the previous response.
 */
export function endToEnd(goals: { readonly p99Ms: number; readonly overload: number }): Benchmark {
  return {
    async run(settings) {
      const rounds: Round[] = []
      const few: number[] = []
      const many: number[] = []
      for (let round = 0; round < settings.rounds; round++) {
        rounds.push(await measure(settings))
        for (const [rates, connections] of inAlternateOrder(
          [[few, FEW] as const, [many, MANY] as const],
          round,
        ))
          rates.push(await deliveredPerSecond(connections, settings))
      }
      const values = (of: (round: Round) => number): readonly number[] => rounds.map(of)
      return {
        figures: [
          { name: 'maximum', unit: 'events/s', values: values(({ maximum }) => maximum) },
          { name: 'rate', unit: 'events/s', values: values(({ rate }) => rate) },
          { name: 'p50', unit: 'ms', values: values(({ p50Ms }) => p50Ms) },
          {
            name: 'p99',
            unit: 'ms',
            values: values(({ p99Ms }) => p99Ms),
            goal: { atMost: goals.p99Ms },
          },
          { name: 'p99.9', unit: 'ms', values: values(({ p999Ms }) => p999Ms) },
          { name: 'longest', unit: 'ms', values: values(({ longestMs }) => longestMs) },
          { name: `overload, ${FEW} connections`, unit: 'deliveries/s', values: few },
          { name: `overload, ${MANY} connections`, unit: 'deliveries/s', values: many },
          {
            name: `overload, ${MANY} / ${FEW} connections`,
            unit: '',
            values: many.map((rate, round) => rate / few[round]!),
            goal: { atLeast: goals.overload },
          },
        ],
        notes: [
          'single calls; each figure is computed for each round, then the median of the rounds is taken',
        ],
      }
    },
  }
}

interface Round {
  readonly maximum: number
  readonly rate: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  readonly longestMs: number
}

async function measure({ seconds, warmUpSeconds = seconds / 2 }: RunSettings): Promise<Round> {
  await using receiver = await new EventReceiver().open()
  await using service = await ServiceProcess.start()
  const { writeKey } = await service.addSource(receiver.urlOf('/hook'))
  await using load = await EndToEndLoad.open({ port: service.port, writeKey, receiver })
  await load.throughput(warmUpSeconds)
  const maximum = await load.throughput(seconds)
  const latencies = await load.latenciesMs({ eventsPerSecond: maximum / 2, seconds })
  return {
    maximum,
    rate: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    p999Ms: quantile(latencies, 0.999),
    longestMs: Math.max(...latencies),
  }
}

/** Deliveries per second while each connection sends its next call after the previous response. */
async function deliveredPerSecond(connections: number, settings: RunSettings): Promise<number> {
  const { seconds, warmUpSeconds = seconds / 2 } = settings
  await using receiver = await new EventReceiver().open()
  await using service = await ServiceProcess.start()
  const { port } = service
  const { writeKey } = await service.addSource(receiver.urlOf('/hook'))
  let delivered = 0
  receiver.onEvent = () => delivered++
  const send = sendingCalls({ port, writeKey, count: 1, connections })
  await send(warmUpSeconds)
  const [before, started] = [delivered, performance.now()]
  await send(seconds)
  return (delivered - before) / ((performance.now() - started) / 1000)
}
