import {
  loadedDelivery,
  loadedIngest,
  type LoadedProgram,
  loadedService,
  usageDuring,
} from '../load/loaded-program.ts'
import { type Cores, divideCores, ownCores, pin } from '../load/pinning.ts'
import { hasThreads, type Threads } from '../load/threads.ts'
import { BATCH } from '../load/throughput.ts'
import { MAIN_THREAD } from '../profile/thread-names.ts'
import { threadTimes, usageByKind } from '../profile/thread-times.ts'
import type { Benchmark, RunSettings } from './benchmark.ts'
import { type CoreRound, coreTables, type LoadOnCores } from './core-tables.ts'
import { CONNECTIONS } from './ingest.ts'

/** A load, the kinds of threads that share its work, and a function that opens the service with a number of them. */
interface Load {
  readonly kinds: readonly (keyof Threads)[]
  readonly open: (threads: number) => Promise<LoadedProgram>
}

const LOADS: Readonly<Record<string, Load>> = {
  'ingest, single calls': { kinds: ['ingest'], open: (threads) => openIngest(1, threads) },
  [`ingest, batches of ${BATCH}`]: {
    kinds: ['ingest'],
    open: (threads) => openIngest(BATCH, threads),
  },
  delivery: {
    kinds: ['delivery'],
    open: (threads) =>
      loadedDelivery('delivery-hookline.ts', { threads: withThreads({ delivery: threads }) }),
  },
  'ingest and delivery, single calls': {
    kinds: ['ingest', 'delivery'],
    open: (threads) => loadedService(1, withThreads({ ingest: threads, delivery: threads })),
  },
}

function openIngest(count: number, threads: number): Promise<LoadedProgram> {
  return loadedIngest({ count, connections: CONNECTIONS }, withThreads({ ingest: threads }))
}

function withThreads(some: Partial<Threads>): Threads {
  return { ingest: 0, delivery: 0, ...some }
}

/** More threads would add no information about the cost of an event. */
const MAX_THREADS = 8

/**
 * Throughput and CPU time of each kind of thread with 0, 1, 2, … threads and the service on dedicated cores. The costs
 * yield estimates for more cores.
 */
export function cores(): Benchmark {
  return {
    async run(settings) {
      const own = ownCores()
      if (own === undefined) return { figures: [], notes: ['missing: taskset, which needs Linux'] }
      const divided = divideCores(own)
      // After the last measurement, and for the next service, this process may use all cores again.
      const unpin = (): void => pin(process.pid, own)
      const measured = await measureAll(settings, divided, unpin)
      return { figures: [], tables: coreTables(measured), notes: notesOn(divided) }
    },
  }
}

async function measureAll(
  settings: RunSettings,
  divided: Cores,
  unpin: () => void,
): Promise<readonly LoadOnCores[]> {
  // A quick run only checks that the benchmark works.
  const loads = Object.entries(LOADS).slice(settings.isQuick ? -1 : 0)
  // At least two threads: their cost is visible even on one core.
  const max = Math.min(MAX_THREADS, Math.max(2, divided.service.length))
  const all = loads.map(([name, { kinds, open }]) => {
    const counts = threadCounts(kinds, settings.isQuick ? 1 : max)
    return { name, open, byThreads: new Map(counts.map((count) => [count, [] as CoreRound[]])) }
  })
  for (let round = 0; round < settings.rounds; round++) {
    for (const { open, byThreads } of all) {
      for (const [count, rounds] of round % 2 === 0 ? byThreads : [...byThreads].toReversed()) {
        rounds.push(await measurePinned(() => open(count), divided, settings).finally(unpin))
      }
    }
  }
  return all
}

/** The thread counts to measure. Kinds without a setting have only 0: the main thread does their work. */
function threadCounts(kinds: readonly (keyof Threads)[], max: number): readonly number[] {
  return Array.from({ length: kinds.some(hasThreads) ? max + 1 : 1 }, (_, count) => count)
}

async function measurePinned(
  open: () => Promise<LoadedProgram>,
  divided: Cores,
  { seconds }: RunSettings,
): Promise<CoreRound> {
  await using loaded = await open()
  const { program, receiver } = loaded
  pin(program.pid, divided.service)
  if (receiver !== undefined) pin(receiver.pid, divided.receiver)
  // For the load from call to receiver, both load and receiver are in this process.
  pin(process.pid, [...new Set([...divided.load, ...divided.receiver])])
  await loaded.measure(seconds / 2)
  // A program with a receiver in a separate process generates its own load.
  const [name, pid] =
    receiver === undefined
      ? (['load', process.pid] as const)
      : (['receiver', receiver.pid] as const)
  const before = threadTimes(pid)
  const measured = await usageDuring(loaded, seconds)
  const cpuMicros = usageByKind(before, threadTimes(pid)).get(MAIN_THREAD)?.cpuMicros ?? 0
  return { ...measured, loadThread: { name, cpuMicros } }
}

function notesOn({ service, load, receiver }: Cores): readonly string[] {
  const named = (own: readonly number[]): string => `core ${own.join(', ')}`
  return [
    `pinned with taskset: service to ${named(service)}, load to ${named(load)}, receiver to ${named(receiver)}`,
    'a share is the share of one core used by the busiest thread of its kind; V8 starts workers for garbage collection and compilation',
    'for delivered calls, load and receiver are one thread; the program of `delivery` generates its own load',
    ...(hasThreads('ingest')
      ? []
      : ['no setting for ingest threads yet: the main thread accepts calls']),
  ]
}
