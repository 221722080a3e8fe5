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
/** Keeps the facts while the measured audience is not there. It has no members. */
const KEEPER: Condition = { and: [{ trait: 'isNobody', op: 'exists' }, ORDERS] }

interface Goals {
  readonly seconds: number
  readonly loopDelayP99Ms: number
  readonly rate: number
}

/** What full syncs of an audience take, and what they do to events that arrive meanwhile at a steady rate. */
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
      // The first round warms code and pages, and waits for what the service does once a day.
      await measured.round()
      const rounds: Round[] = []
      for (let round = 0; round < settings.rounds; round++) rounds.push(await measured.round())
      return { figures: figuresOf(rounds, goals), notes: notesOf(profiles, rounds) }
    },
  }
}

/** Adds the audience whose facts are made, and the profiles. */
async function makeData(
  dataDir: string,
  receiver: EventReceiver,
  profiles: number,
): Promise<BenchSource> {
  const source = await (async () => {
    await using service = await ServiceProcess.start(dataDir)
    const made = await service.addSource(receiver.urlOf('/hook'))
    const audiences = new ServiceAudiences(service, made)
    await audiences.add(KEEPER)
    await audiences.allSynced()
    return made
  })()
  addProfiles(dataDir, profiles)
  return source
}

/** What happens while a sync runs, or during the same time without one. */
interface Meanwhile {
  /** Events per second that arrive at the receiver, of those that were sent at a steady rate. */
  readonly rate: number
  readonly loopDelayP99Ms: number
  /** Of the sync. */
  readonly seconds: number
  readonly entered: number
}

interface Round {
  readonly without: Meanwhile
  readonly first: Meanwhile
  readonly check: Meanwhile
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

  async #synced(id: string): Promise<Pick<Meanwhile, 'seconds' | 'entered'>> {
    const sync = await this.#audiences.synced(id)
    if (sync.missed > 0) throw new Error(`The sync has found ${sync.missed} missed changes.`)
    return { seconds: secondsOf(sync), entered: sync.entered }
  }

  async #during(work: () => Promise<Pick<Meanwhile, 'seconds' | 'entered'>>): Promise<Meanwhile> {
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
    ...ofSync('check', 'check'),
    figure('rate without a sync', 'events/s', ({ without }) => without.rate),
    figure('event loop p99 without', 'ms', ({ without }) => without.loopDelayP99Ms),
  ]
}

function notesOf(profiles: number, rounds: readonly Round[]): readonly string[] {
  const members = Math.max(...rounds.map(({ first }) => first.entered))
  return [
    `${profiles.toLocaleString('en')} profiles with ten events each, made by SQL; the condition: a trait, and at least two events within 30 days`,
    `the first sync tells ${members.toLocaleString('en')} members; the check finds that nothing differs`,
    `meanwhile, single calls at ${EVENTS_PER_SECOND.toLocaleString('en')} events/s; a rate is what arrives of them at the receiver`,
  ]
}
