import type { Condition } from '@hookline/protocol'
import { currentCall } from '../load/calls.ts'
import { EventReceiver } from '../load/event-receiver.ts'
import { addKnownUsers } from '../load/known-users.ts'
import { ServiceAudiences } from '../load/service-audiences.ts'
import { ServiceDatabase } from '../load/service-database.ts'
import { ServiceProcess } from '../load/service-process.ts'
import { temporaryDataDir } from '../load/temporary-data-dir.ts'
import { throughput } from '../load/throughput.ts'
import type { Benchmark, Figure } from './benchmark.ts'

const AUDIENCES = 50
const USERS = 100_000

/**
 * Throughput from call to receiver with audiences, compared with a service without any. The
 * services run at the same time and are loaded in turn, each when all are idle.
 */
export function audienceThroughput(goal: number): Benchmark {
  return {
    async run({ rounds, seconds, isQuick }) {
      await using stack = new AsyncDisposableStack()
      const receiver = stack.use(await new EventReceiver().open())
      const options = { receiver, users: isQuick ? USERS / 10 : USERS }
      const none = stack.use(await MeasuredService.start(options, []))
      const named = stack.use(await MeasuredService.start(options, conditionsOn('Order Completed')))
      const other = stack.use(await MeasuredService.start(options, conditionsOn('Order Cancelled')))
      const all = [none, named, other]
      for (const each of all) await each.measure(seconds / 2)
      for (let round = 0; round < rounds; round++)
        for (const each of round % 2 === 0 ? all : all.toReversed())
          each.rounds.push(await each.measure(seconds))
      return { figures: figuresOf(none, named, other, goal), notes: NOTES }
    },
  }
}

const NOTES = [
  `${AUDIENCES} audiences: a trait of the user, and a count of events with a property, in windows of 1 to ${AUDIENCES} days`,
  'each event is a fact of four clauses; one in 50 users has the trait, and each of their events enters them into about two audiences',
]

function figuresOf(
  none: MeasuredService,
  named: MeasuredService,
  other: MeasuredService,
  goal: number,
): readonly Figure[] {
  const of = ({ rounds }: MeasuredService, name: keyof Round): readonly number[] =>
    rounds.map((round) => round[name])
  const ratio = (side: MeasuredService): readonly number[] =>
    of(side, 'rate').map((rate, round) => rate / of(none, 'rate')[round]!)
  const figures = (name: string, side: MeasuredService): readonly Figure[] => [
    { name, unit: 'events/s', values: of(side, 'rate') },
    { name: `CPU, ${name}`, unit: 'µs/event', values: of(side, 'cpuMicros') },
  ]
  const [withNamed, withOther] = [
    `${AUDIENCES} audiences`,
    `${AUDIENCES} audiences on other events`,
  ]
  return [
    ...figures('no audience', none),
    ...figures(withNamed, named),
    ...figures(withOther, other),
    { name: `ratio, ${withNamed}`, unit: '', values: ratio(named), goal: { atLeast: goal } },
    { name: `ratio, ${withOther}`, unit: '', values: ratio(other) },
    { name: 'evaluation lag at the end', unit: 's', values: of(named, 'lagSeconds') },
  ]
}

/** Conditions that select users with a trait and with a minimum number of orders above a price. */
function conditionsOn(event: string): readonly Condition[] {
  return Array.from({ length: AUDIENCES }, (_, index) => ({
    and: [
      { trait: 'plan', op: 'equals', value: 'pro' },
      {
        event,
        where: [{ property: 'revenue', op: '>', value: 10 * (index % 5) }],
        count: { op: '>=', n: 1 + Math.floor(index / 2) },
        within: { days: 1 + index },
      },
    ],
  }))
}

interface Round {
  readonly rate: number
  /** Per event, until it is evaluated. */
  readonly cpuMicros: number
  /** The time from the end of the load until its last events were evaluated. */
  readonly lagSeconds: number
}

interface Options {
  readonly receiver: EventReceiver
  readonly users: number
}

class MeasuredService implements AsyncDisposable {
  readonly rounds: Round[] = []
  readonly measure: (seconds: number) => Promise<Round>
  readonly #stack: AsyncDisposableStack

  private constructor(stack: AsyncDisposableStack, measure: (seconds: number) => Promise<Round>) {
    this.#stack = stack
    this.measure = measure
  }

  static async start(
    { receiver, users }: Options,
    conditions: readonly Condition[],
  ): Promise<MeasuredService> {
    await using stack = new AsyncDisposableStack()
    const folder = stack.use(temporaryDataDir())
    if (conditions.length > 0) await addKnownUsers(folder.path, users)
    const service = stack.use(await ServiceProcess.start(folder.path))
    const source = await service.addSource(receiver.urlOf('/hook'))
    const audiences = new ServiceAudiences(service, source)
    for (const condition of conditions) await audiences.add(condition)
    const database = stack.use(new ServiceDatabase(folder.path))
    await audiences.allSynced()
    await database.caughtUp()
    const load = { like: currentCall() }
    return new MeasuredService(stack.move(), async (seconds) => {
      const before = (await service.usage()).cpuMicros
      const rate = await throughput(receiver, { service, source, load }, seconds)
      const ended = performance.now()
      await database.caughtUp()
      const lagSeconds = (performance.now() - ended) / 1000
      const cpuMicros = ((await service.usage()).cpuMicros - before) / (rate * seconds)
      return { rate, cpuMicros, lagSeconds }
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }
}
