import { describe, expect, it } from 'vitest'
import { estimateOn } from '../../bench/benchmarks/core-estimate.ts'
import { coreTables } from '../../bench/benchmarks/core-tables.ts'
import { divideCores, parseCores } from '../../bench/load/pinning.ts'
import { partOf } from '../../bench/profile/parts.ts'
import { NOT_PROFILED, costByPart } from '../../bench/profile/part-costs.ts'
import { parseStat } from '../../bench/profile/proc-stat.ts'
import { kindOfThread, NODE_THREADS, V8_WORKERS } from '../../bench/profile/thread-names.ts'
import { threadTimes, usageByKind } from '../../bench/profile/thread-times.ts'
import { ticksByPart } from '../../bench/profile/ticks.ts'

describe('the CPU time of threads', () => {
  it('is read from /proc for any thread name', () => {
    const line = `4711 (a ) b (c) S 1 1 1 0 -1 4194304 96 0 0 0 25 17 0 0 20 0 8 0 5714379`
    expect(parseStat(line)).toMatchObject({ id: 4711, name: 'a ) b (c', cpuMicros: 420_000 })
  })

  it.runIf(process.platform === 'linux')(
    'is measured for each thread of a process, with its wake-ups',
    async () => {
      const kinds = threadTimes(process.pid).map(({ kind }) => kind)
      expect(kinds.filter((kind) => kind === 'main')).toHaveLength(1)
      const before = threadTimes(process.pid)
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(usageByKind(before, threadTimes(process.pid)).get('main')!.wakes).toBeGreaterThan(0)
    },
  )

  it('is summed by kind, without earlier usage', () => {
    const thread = (id: number, kind: string, cpuMicros: number) => {
      return { id, kind, cpuMicros, wakes: cpuMicros / 10 }
    }
    const before = [thread(1, 'main', 100), thread(2, 'ingest', 50), thread(9, 'reader', 5)]
    const after = [thread(1, 'main', 130), thread(2, 'ingest', 60), thread(3, 'ingest', 30)]
    expect(Object.fromEntries(usageByKind(before, after))).toEqual({
      main: { cpuMicros: 30, busiestMicros: 30, wakes: 3 },
      ingest: { cpuMicros: 40, busiestMicros: 30, wakes: 4 },
    })
  })

  it.for([
    ['main', 'main'],
    ['hookline-writer', 'writer'],
    ['hookline-delivery-12', 'delivery'],
    ['hookline-delive', 'delivery'],
    ['hookline-ingest', 'ingest'],
    ['hookline-other', 'other'],
    ['V8Worker', V8_WORKERS],
    ['libuv-worker', NODE_THREADS],
  ] as const)('is attributed by thread name: %s to %s', ([name, kind]) => {
    expect(kindOfThread(name)).toBe(kind)
  })
})

describe('a profile entry', () => {
  const server = 'file:///clone/packages/server/src'
  it.for([
    [`${server}/delivery/lanes/lane.ts`, 'ours: delivery/lanes'],
    [`${server}/delivery/dispatcher.ts`, 'ours: delivery'],
    [`${server}/service.ts`, 'ours: service'],
    ['file:///clone/packages/protocol/src/event.ts', 'ours: protocol'],
    ['file:///clone/bench/load/calls.ts', 'ours: the benchmark'],
    ['file:///clone/node_modules/fastify/lib/route.js', 'library: fastify'],
    ['file:///clone/node_modules/@fastify/cors/index.js', 'library: @fastify/cors'],
    ['/clone/node_modules/a/node_modules/b/index.js', 'library: b'],
    ['node:internal/deps/undici/undici', 'library: undici'],
    ['node:_http_server', 'HTTP of Node'],
    ['node:internal/stream_base_commons', 'sockets'],
    ['node:path', 'rest of Node'],
  ] as const)('from %s belongs to %s', ([url, part]) => {
    expect(partOf({ functionName: 'f', url }, '')).toBe(part)
  })

  it.for([
    ['postMessage', 'ours: backend/embedded', 'messages between threads'],
    ['run', 'ours: backend/embedded/log', 'SQLite: rows written'],
    ['run', 'library: a', 'library: a'],
    ['update', 'hashing and random bytes', 'hashing and random bytes'],
    ['(garbage collector)', '', 'garbage collection'],
  ] as const)('for native %s, called by %s, belongs to %s', ([functionName, caller, part]) => {
    expect(partOf({ functionName, url: '' }, caller)).toBe(part)
  })
})

/** A thread that was idle for 90 of 100 ticks. */
const PROFILE = {
  nodes: [
    { id: 1, callFrame: { functionName: '(root)', url: '' }, hitCount: 0, children: [2, 3] },
    { id: 2, callFrame: { functionName: '(idle)', url: '' }, hitCount: 90 },
    {
      id: 3,
      callFrame: { functionName: 'parse', url: 'file:///packages/protocol/src/event.ts' },
      hitCount: 7,
      children: [4],
      positionTicks: [
        { line: 1, ticks: 4 },
        { line: 2, ticks: 3 },
      ],
    },
    { id: 4, callFrame: { functionName: 'slice', url: '' }, hitCount: 3 },
  ],
}
const lineOf = (_url: string, line: number): string | undefined =>
  ['const event = JSON.parse(text)', 'return event'][line - 1]

describe('the cost of an event', () => {
  it('counts ticks by part, native functions by caller, and JSON by line', () => {
    expect(Object.fromEntries(ticksByPart(PROFILE, lineOf))).toEqual({
      'JSON.parse': 4,
      'ours: protocol': 6,
    })
  })

  it('sums to the CPU time of each thread', () => {
    const costs = costByPart({
      profiles: [['hookline-writer', PROFILE]],
      usage: new Map([
        ['writer', { cpuMicros: 2_000 }],
        ['other', { cpuMicros: 500 }],
      ]),
      events: 100,
      lineOf,
    })
    expect(costs).toEqual([
      { thread: 'writer', part: 'JSON.parse', microsPerEvent: 8 },
      { thread: 'writer', part: 'ours: protocol', microsPerEvent: 12 },
      { thread: 'other', part: NOT_PROFILED, microsPerEvent: 5 },
    ])
  })
})

describe('the cores of a measurement', () => {
  it.for([
    { cores: [0], service: [0], load: [0], receiver: [0] },
    { cores: [0, 1], service: [0], load: [1], receiver: [1] },
    { cores: [0, 1, 2], service: [0, 1], load: [2], receiver: [2] },
    { cores: [0, 1, 2, 3, 8], service: [0, 1, 2], load: [3], receiver: [8] },
  ])('are divided: $cores', ({ cores, ...divided }) => {
    expect(divideCores(cores)).toEqual(divided)
  })

  it('are parsed as Linux lists them', () => {
    expect(parseCores('0-2,8,10-11')).toEqual([0, 1, 2, 8, 10, 11])
  })
})

describe('an estimate for more cores', () => {
  const costs = new Map([
    ['ingest', 20],
    ['writer', 10],
    ['main', 5],
    ['delivery', 25],
  ])

  it('is limited by the cores while no thread is saturated', () => {
    expect(estimateOn(4, costs)).toEqual({ eventsPerSecond: 4e6 / 60, limit: 'all cores' })
  })

  it('is limited by a thread that exists only once', () => {
    expect(estimateOn(16, costs)).toEqual({ eventsPerSecond: 1e5, limit: 'the writer thread' })
  })
})

describe('the tables of a service on dedicated cores', () => {
  /** A round of one second, with this many microseconds of the ingest threads and of the writer. */
  const round = (events: number, ingest: number[], writer: number) => ({
    events,
    rate: events,
    elapsedMicros: 1e6,
    usage: new Map([
      ['writer', { cpuMicros: writer, busiestMicros: writer, wakes: 0 }],
      [
        'ingest',
        { cpuMicros: ingest.reduce((a, b) => a + b), busiestMicros: Math.max(...ingest), wakes: 0 },
      ],
      ['reader', { cpuMicros: 0, busiestMicros: 0, wakes: 0 }],
    ]),
    loadThread: { name: 'load', cpuMicros: 250_000 },
  })
  const [ingest, estimate] = coreTables([
    {
      name: 'ingest',
      byThreads: new Map([
        [1, [round(10_000, [800_000], 100_000)]],
        [2, [round(20_000, [900_000, 700_000], 200_000)]],
      ]),
    },
  ])

  it('show the rate, the cost, and the share of the busiest thread of each active kind', () => {
    expect(ingest!.columns).toEqual([
      'events/s',
      'CPU, µs/event',
      'ingest, %',
      'writer, %',
      'load, %',
    ])
    expect(ingest!.rows).toEqual([
      { labels: ['1'], values: [[10_000], [90], [80], [10], [25]] },
      { labels: ['2'], values: [[20_000], [90], [90], [20], [25]] },
    ])
  })

  it('base their estimates on the costs with one thread', () => {
    expect(estimate!.rows.map(({ labels }) => labels)).toEqual([
      ['ingest', '4', 'all cores'],
      ['ingest', '8', 'all cores'],
      ['ingest', '16', 'the writer thread'],
    ])
    expect(estimate!.rows.at(-1)!.values).toEqual([[100_000]])
  })
})
