import {
  loadedDelivery,
  loadedIngest,
  type LoadedProgram,
  loadedService,
  usageDuring,
} from '../load/loaded-program.ts'
import { type Cores, divideCores, ownCores, pin } from '../load/pinning.ts'
import { HAS_THREADS, type Threads } from '../load/threads.ts'
import { BATCH } from '../load/throughput.ts'
import { MAIN_THREAD } from '../profile/thread-names.ts'
import { threadTimes, usageByKind } from '../profile/thread-times.ts'
import type { Benchmark, RunSettings } from './benchmark.ts'
import { type CoreRound, coreTables, type LoadOnCores } from './core-tables.ts'
import { CONNECTIONS } from './ingest.ts'

/** What the threads of each load do, and how the service with so many of them is opened. */
const LOADS: Readonly<Record<string, (threads: number) => Promise<LoadedProgram>>> = {
  'ingest, single calls': (threads) => openIngest(1, threads),
  [`ingest, batches of ${BATCH}`]: (threads) => openIngest(BATCH, threads),
  delivery: (threads) => loadedDelivery('delivery-hookline.ts', withThreads({ delivery: threads })),
  'both, single calls': (threads) =>
    loadedService(1, withThreads({ ingest: threads, delivery: threads })),
}

function openIngest(count: number, threads: number): Promise<LoadedProgram> {
  return loadedIngest({ count, connections: CONNECTIONS }, withThreads({ ingest: threads }))
}

function withThreads(some: Partial<Threads>): Threads {
  return { ingest: 0, delivery: 0, ...some }
}

/** More threads than that say no more about what an event costs. */
const MOST_THREADS = 8

/**
 * Throughput and CPU time of each kind of thread with 0, 1, 2, … threads, the service on cores of its own. From the
 * costs follows what more cores would give.
 */
export function cores(): Benchmark {
  return {
    async run(settings) {
      const own = ownCores()
      if (own === undefined) return { figures: [], notes: ['missing: taskset, and with it Linux'] }
      const divided = divideCores(own)
      // After the last measurement, and for the next service, this process may use all of them again.
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
  // A quick run only shows that it works.
  const loads = Object.entries(LOADS).slice(settings.isQuick ? -1 : 0)
  // Two even on one core: what they cost shows there, too.
  const most = Math.min(MOST_THREADS, Math.max(2, divided.service.length))
  const counts = threadCounts(settings.isQuick ? 1 : most)
  const all = loads.map(([name, open]) => {
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

function threadCounts(most: number): readonly number[] {
  return Array.from({ length: HAS_THREADS ? most + 1 : 1 }, (_, count) => count)
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
  // The load from call to receiver is both in this process.
  pin(process.pid, [...new Set([...divided.load, ...divided.receiver])])
  await loaded.measure(seconds / 2)
  // A program with a receiver in a process of its own makes its load itself.
  const [name, pid] =
    receiver === undefined
      ? (['load', process.pid] as const)
      : (['receiver', receiver.pid] as const)
  const before = threadTimes(pid)
  const measured = await usageDuring(loaded, seconds)
  const cpuMicros = usageByKind(before, threadTimes(pid)).get(MAIN_THREAD)?.cpuMicros ?? 0
  return { ...measured, beside: { name, cpuMicros } }
}

function notesOn({ service, load, receiver }: Cores): readonly string[] {
  const named = (own: readonly number[]): string => `core ${own.join(', ')}`
  return [
    `pinned with taskset: service to ${named(service)}, load to ${named(load)}, receiver to ${named(receiver)}`,
    'a share is that of the busiest thread of its kind, of one core; V8 starts helpers for garbage collection and compilation',
    'load and receiver of calls that are delivered are one thread; the program of `delivery` makes its load itself',
    ...(HAS_THREADS ? [] : ['this version has no settings for threads: the main thread does all']),
  ]
}
