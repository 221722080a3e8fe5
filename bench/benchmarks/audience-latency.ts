import { currentCall, userIdOf } from '../load/calls.ts'
import { EndToEndLoad } from '../load/end-to-end-load.ts'
import { EventReceiver } from '../load/event-receiver.ts'
import { ServiceAudiences } from '../load/service-audiences.ts'
import { ServiceProcess } from '../load/service-process.ts'
import { type Benchmark, quantile, type RunSettings } from './benchmark.ts'

const EVENTS_PER_SECOND = 1_000
/** A round lasts this many times the configured measurement time. */
const ROUND_FACTOR = 5
const DEADLINE_MS = 60_000

/**
 * The time from when a user's call was due until the receiver gets the identify call that announces the user's entry
 * into an audience.
 */
export function audienceLatency(goals: { readonly p99Ms: number }): Benchmark {
  return {
    async run(settings) {
      const seconds = settings.seconds * ROUND_FACTOR
      const rounds: (readonly number[])[] = []
      for (let round = 0; round < settings.rounds; round++)
        rounds.push(await measure({ ...settings, seconds }))
      const at = (share: number): readonly number[] => rounds.map((each) => quantile(each, share))
      return {
        seconds,
        figures: [
          { name: 'p50', unit: 'ms', values: at(0.5) },
          { name: 'p99', unit: 'ms', values: at(0.99), goal: { atMost: goals.p99Ms } },
          { name: 'longest', unit: 'ms', values: at(1) },
          {
            name: 'identify calls',
            unit: 'calls/s',
            values: rounds.map(({ length }) => length / seconds),
          },
        ],
        notes: [
          `single calls at ${EVENTS_PER_SECOND.toLocaleString('en')} events/s, each from a new user, who then enters the audience; events and identify calls go to the same receiver`,
        ],
      }
    },
  }
}

async function measure({ seconds }: RunSettings): Promise<readonly number[]> {
  await using receiver = await new EventReceiver().open()
  await using service = await ServiceProcess.start()
  const source = await service.addSource(receiver.urlOf('/hook'))
  const audiences = new ServiceAudiences(service, source)
  await audiences.add({ event: 'Order Completed', within: { days: 30 } })
  await audiences.allSynced()
  /** The arrival of each user's first identify call. */
  const arrivals = new Map<string, number>()
  receiver.onOther = (body) => {
    const { userId } = JSON.parse(body.toString()) as { userId: string }
    if (!arrivals.has(userId)) arrivals.set(userId, performance.now())
  }
  await using load = await EndToEndLoad.open({
    port: service.port,
    writeKey: source.writeKey,
    receiver,
    like: currentCall(),
  })
  // The first seconds only warm up code and sockets.
  await load.latenciesMs({ eventsPerSecond: EVENTS_PER_SECOND, seconds: seconds / ROUND_FACTOR })
  const first = load.sent
  await load.latenciesMs({ eventsPerSecond: EVENTS_PER_SECOND, seconds })
  return await enteredMs(load, arrivals, first)
}

/**
 * Waits for each user's identify call, and resolves with the latencies of users whose first call
 * has the number `first` or a later one.
 */
async function enteredMs(
  load: EndToEndLoad,
  arrivals: ReadonlyMap<string, number>,
  first: number,
): Promise<readonly number[]> {
  const dueAt = new Map<string, number>()
  for (let number = load.sent - 1; number >= 0; number--)
    dueAt.set(userIdOf(number), number < first ? NaN : load.dueAt(number)!)
  const deadline = performance.now() + DEADLINE_MS
  while (arrivals.size < dueAt.size) {
    if (performance.now() > deadline)
      throw new Error(`${dueAt.size - arrivals.size} users have not entered the audience.`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return [...arrivals]
    .map(([userId, arrivedAt]) => arrivedAt - dueAt.get(userId)!)
    .filter((latency) => !Number.isNaN(latency))
}
