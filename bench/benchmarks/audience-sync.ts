import type { Condition } from '@hookline/protocol'
import { currentCall } from '../load/calls.ts'
import { EndToEndLoad } from '../load/end-to-end-load.ts'
import { EventReceiver } from '../load/event-receiver.ts'
import { addProfiles } from '../load/many-profiles.ts'
import { secondsOf, ServiceAudiences } from '../load/service-audiences.ts'
import { type BenchSource, ServiceProcess } from '../load/service-process.ts'
import { temporaryDataDir } from '../load/temporary-data-dir.ts'
import type { Benchmark, Figure, Goal } from './benchmark.ts'

const PROFILES = 1_000_000
const EVENTS_PER_SECOND = 1_000
const ORDERS = {
  event: 'Order Completed',
  count: { op: '>=', n: 2 },
  within: { days: 30 },
} as const
const CONDITION: Condition = { and: [{ trait: 'plan', op: 'equals', value: 'pro' }, ORDERS] }
/** An audience that matches no user. It retains the facts while the measured audience does not exist. */
const KEEPER: Condition = { and: [{ trait: 'isNobody', op: 'exists' }, ORDERS] }

interface Goals {
  readonly seconds: number
  readonly loopDelayP99Ms: number
  readonly rate: number
}

/** The duration of full syncs of an audience, and their effect on a steady stream of events. */
export function audienceSync(goals: Goals): Benchmark {
  return {
    async run(settings) {
      await using stack = new AsyncDisposableStack()
      const receiver = stack.use(await new EventReceiver().open())
      const folder = stack.use(temporaryDataDir())
      const profiles = settings.isQuick ? PROFILES / 10 : PROFILES
      const source = await makeData(folder.path, receiver, profiles)
      const service = stack.use(await ServiceProcess.start(folder.path))
      const load = { receiver, port: service.port, writeKey: source.writeKey, like: currentCall() }
      const endToEndLoad = stack.use(await EndToEndLoad.open(load))
      const measured = new MeasuredSyncs(service, source, endToEndLoad)
      // The first round warms up code and pages, and includes the daily work of the service.
      await measured.round()
      const rounds: Round[] = []
      for (let round = 0; round < settings.rounds; round++) rounds.push(await measured.round())
      return { figures: figuresOf(rounds, goals), notes: notesOf(profiles, rounds) }
    },
  }
}

/** Adds the audience that retains the facts, and the profiles. */
async function makeData(
  dataDir: string,
  receiver: EventReceiver,
  profiles: number,
): Promise<BenchSource> {
  const source = await (async () => {
    await using service = await ServiceProcess.start(dataDir)
    const created = await service.addSource(receiver.urlOf('/hook'))
    const audiences = new ServiceAudiences(service, created)
    await audiences.add(KEEPER)
    await audiences.allSynced()
    return created
  })()
  addProfiles(dataDir, profiles)
  return source
}

/** Measured during a sync, or for the same duration without one. */
interface MeasuredPeriod {
  /** The events per second that arrive at the receiver while events are sent at a steady rate. */
  readonly rate: number
  readonly loopDelayP99Ms: number
  /** The duration of the sync, or of the period without one. */
  readonly seconds: number
  readonly entered: number
}

interface Round {
  readonly without: MeasuredPeriod
  readonly first: MeasuredPeriod
  readonly check: MeasuredPeriod
}

/** Syncs of an audience that is added and removed in each round, under a steady load. */
class MeasuredSyncs {
  readonly #service: ServiceProcess
  readonly #audiences: ServiceAudiences
  readonly #load: EndToEndLoad

  constructor(service: ServiceProcess, source: BenchSource, load: EndToEndLoad) {
    this.#service = service
    this.#audiences = new ServiceAudiences(service, source)
    this.#load = load
  }

  async round(): Promise<Round> {
    let id = ''
    const first = await this.#during(async () =>
      this.#synced((id = await this.#audiences.add(CONDITION))),
    )
    const { seconds } = first
    const without = await this.#during(async () => {
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
      return { seconds, entered: 0 }
    })
    const check = await this.#during(async () => {
      await this.#audiences.requestSync(id)
      return await this.#synced(id)
    })
    await this.#audiences.remove(id)
    return { without, first, check }
  }

  async #synced(id: string): Promise<Pick<MeasuredPeriod, 'seconds' | 'entered'>> {
    const sync = await this.#audiences.synced(id)
    if (sync.missed > 0) throw new Error(`The sync found ${sync.missed} missed changes.`)
    return { seconds: secondsOf(sync), entered: sync.entered }
  }

  async #during(
    work: () => Promise<Pick<MeasuredPeriod, 'seconds' | 'entered'>>,
  ): Promise<MeasuredPeriod> {
    await this.#service.loopDelayP99Ms()
    const { rate, result } = await this.#load.meanwhile(EVENTS_PER_SECOND, work)
    return { rate, loopDelayP99Ms: (await this.#service.loopDelayP99Ms())!, ...result }
  }
}

function figuresOf(rounds: readonly Round[], goals: Goals): readonly Figure[] {
  const figure = (
    name: string,
    unit: string,
    of: (round: Round) => number,
    goal?: Goal,
  ): Figure => ({
    name,
    unit,
    values: rounds.map(of),
    goal,
  })
  const ofSync = (name: string, sync: 'first' | 'check'): readonly Figure[] => [
    figure(name, 's', (round) => round[sync].seconds, { atMost: goals.seconds }),
    figure(`event loop p99, ${name}`, 'ms', (round) => round[sync].loopDelayP99Ms, {
      atMost: goals.loopDelayP99Ms,
    }),
    figure(`rate, ${name}`, 'events/s', (round) => round[sync].rate),
    figure(`ratio, ${name}`, '', (round) => round[sync].rate / round.without.rate, {
      atLeast: goals.rate,
    }),
  ]
  return [
    ...ofSync('first sync', 'first'),
    ...ofSync('later sync', 'check'),
    figure('rate without a sync', 'events/s', ({ without }) => without.rate),
    figure('event loop p99, no sync', 'ms', ({ without }) => without.loopDelayP99Ms),
  ]
}

function notesOf(profiles: number, rounds: readonly Round[]): readonly string[] {
  const members = Math.max(...rounds.map(({ first }) => first.entered))
  return [
    `${profiles.toLocaleString('en')} profiles with ten events each, created by SQL; the condition: a trait, and at least two events within 30 days`,
    `the first sync announces ${members.toLocaleString('en')} members; the later sync finds no differences`,
    `meanwhile, single calls at ${EVENTS_PER_SECOND.toLocaleString('en')} events/s; a rate is measured at the receiver`,
  ]
}
