import { Child } from '../load/child.ts'
import { EndToEndLoad } from '../load/end-to-end-load.ts'
import { EventReceiver } from '../load/event-receiver.ts'
import { ServiceProcess } from '../load/service-process.ts'
import { NODE_THREADS, V8_WORKERS } from '../profile/thread-names.ts'
import { type KindUsage, usageByKind } from '../profile/thread-times.ts'
import type { Benchmark, RunSettings, Table } from './benchmark.ts'
import { inAlternateOrder } from './comparison.ts'

/** Events per second. */
const RATE = 200
const NOT_OURS: readonly string[] = [V8_WORKERS, NODE_THREADS]

/** The cost of an event in one round, by kind of thread. */
type Costs = ReadonlyMap<string, Pick<KindUsage, 'cpuMicros' | 'wakes'>>

interface Side {
  readonly rounds: Costs[]
  readonly open: (webhook: string) => Promise<Opened>
}

interface Opened extends AsyncDisposable {
  readonly program: Child
  readonly port: number
  readonly writeKey: string
}

/**
 * CPU time and wake-ups of an event from call to receiver at a low rate, where few events share a commit. Compared with a
 * bare server that sends each call with a bare client.
 */
export function costLow(goals: { readonly ratio: number; readonly wakes: number }): Benchmark {
  return {
    async run(settings) {
      if (process.platform !== 'linux')
        return { figures: [], notes: ['missing: CPU times of threads, which need Linux'] }
      const hookline: Side = { rounds: [], open: openHookline }
      const bare: Side = { rounds: [], open: openBare }
      for (let round = 0; round < settings.rounds; round++)
        for (const { rounds, open } of inAlternateOrder([hookline, bare], round))
          rounds.push(await measure(open, settings))
      const [own, theirs] = [hookline, bare].map(({ rounds }) => rounds.map(cpuOf))
      return {
        figures: [
          { name: 'Hookline', unit: 'µs/event', values: own! },
          { name: 'bare server and client', unit: 'µs/event', values: theirs! },
          {
            name: 'ratio',
            unit: '',
            values: own!.map((micros, round) => micros / theirs![round]!),
            goal: { atMost: goals.ratio },
          },
          {
            name: 'wake-ups',
            unit: 'per event',
            values: hookline.rounds.map(wakesOf),
            goal: { atMost: goals.wakes },
          },
        ],
        tables: [tableOf(hookline.rounds)],
        notes: [
          `single calls at ${RATE} events/s, at random times; a wake-up is a voluntary context switch of a thread of the service, excluding threads of V8 and Node`,
        ],
      }
    },
  }
}

async function openHookline(webhook: string): Promise<Opened> {
  const service = await ServiceProcess.start()
  const { writeKey } = await service.addSource(webhook)
  const { program, port } = service
  return { program, port, writeKey, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

async function openBare(webhook: string): Promise<Opened> {
  const [program, port] = await Child.start('bare-server.ts', [new URL(webhook).port])
  const dispose = (): Promise<void> => program[Symbol.asyncDispose]()
  return { program, port: Number(port), writeKey: 'none', [Symbol.asyncDispose]: dispose }
}

async function measure(open: Side['open'], settings: RunSettings): Promise<Costs> {
  const { seconds, warmUpSeconds = seconds / 2 } = settings
  await using receiver = await new EventReceiver().open()
  await using opened = await open(receiver.urlOf('/hook'))
  const { program, port, writeKey } = opened
  await using load = await EndToEndLoad.open({ port, writeKey, receiver })
  await load.latenciesMs({ eventsPerSecond: RATE, seconds: warmUpSeconds })
  const [before, sent] = [program.threadTimes(), load.sent]
  await load.latenciesMs({ eventsPerSecond: RATE, seconds })
  const usage = usageByKind(before, program.threadTimes())
  const events = load.sent - sent
  return new Map(
    [...usage].map(([kind, { cpuMicros, wakes }]) => [
      kind,
      { cpuMicros: cpuMicros / events, wakes: wakes / events },
    ]),
  )
}

function cpuOf(costs: Costs): number {
  return [...costs.values()].reduce((sum, { cpuMicros }) => sum + cpuMicros, 0)
}

function wakesOf(costs: Costs): number {
  const own = [...costs].filter(([kind]) => !NOT_OURS.includes(kind))
  return own.reduce((sum, [, { wakes }]) => sum + wakes, 0)
}

function tableOf(rounds: readonly Costs[]): Table {
  const kinds = [...new Set(rounds.flatMap((costs) => [...costs.keys()]))]
  return {
    name: 'CPU by thread',
    labels: ['thread'],
    columns: ['CPU, µs/event', 'wake-ups per event'],
    rows: kinds.map((kind) => ({
      labels: [kind],
      values: [
        rounds.map((costs) => costs.get(kind)?.cpuMicros ?? 0),
        rounds.map((costs) => costs.get(kind)?.wakes ?? 0),
      ],
    })),
  }
}
