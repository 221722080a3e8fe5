import type { BenchmarkName } from '../../bench/benchmarks/benchmarks.ts'
import { type Curve, type Figure, isMet, type Table } from '../../bench/benchmarks/benchmark.ts'
import { plot } from '../../bench/report/plot.ts'
import { formatGoal, formatSpread } from '../../bench/report/report.ts'
import { readResult, type StoredMeasurement } from '../../bench/report/results.ts'
import { code, plain, table } from './markdown.ts'

/** The benchmarks that explain costs to contributors. Decision 24 has their figures. */
type Breakdown = 'cpu-breakdown' | 'delivery-steps'

/** The subject of each benchmark on the page. */
export const SUBJECTS: Readonly<Record<Exclude<BenchmarkName, Breakdown>, string>> = {
  'ingest-single':
    'Single calls accepted over 256 connections, each call on disk before its 200, compared with a bare `node:http` server that parses the JSON and responds.',
  'ingest-batch': 'The same with batches of 20 calls, as client libraries send them.',
  delivery:
    'Events from the log to a receiver, with a record of each delivery, compared with a bare loop of undici requests with the same bodies, signatures and concurrency, which stores nothing.',
  routing: 'Deliveries with a filter that selects every event, compared with no filter.',
  transforms: 'Deliveries with a transform of ten lines, compared with no transform.',
  traces:
    'Deliveries with OpenTelemetry on and no trace sampled, compared with no collector, and with `traceContext: off`.',
  'delivery-peers':
    'The events from `delivery`, sent through two hand-written programs ([bench/programs](../../bench/programs)). BullMQ runs on Redis without appendonly, so its jobs are not on disk; pg-boss runs on PostgreSQL with fsync.',
  'end-to-end':
    'Latency from when a call is due until it arrives at the receiver, with single calls sent at random times, at half of the maximum rate. Overload: deliveries while each of 32 or 256 connections sends its next call after the previous response.',
  isolation:
    'Healthy webhooks at 80% of the maximum load: nine destinations next to one whose webhook never responds, and three webhooks of a destination next to one that never responds and one that takes 4 s, compared with runs without the fault. The noise is the difference between two runs without the fault.',
  growth:
    'Throughput from call to receiver with 10 million rows of history and a million pending deliveries, compared with an empty database.',
  memory:
    'Memory of the process with a million pending deliveries and with none, each after the same load.',
  restart:
    'Time from the start of the process to the first delivery, with a million pending deliveries.',
  cost: 'Resources for each event from call to receiver, with its history and indexes. At a low rate, fewer events share a commit, so each costs more.',
  'cost-ratio':
    'CPU time from call to receiver, in all threads, compared with the bare server and the bare loop together.',
  'cost-low':
    'CPU time and thread wake-ups from call to receiver at 200 events/s, compared with a bare `node:http` server that sends each call with undici.',
  'one-event':
    'How many Hookline functions run for a `track` call on its way to one receiver, how many files contain them, and how many messages pass between threads.',
  cores: 'Throughput and CPU time with 0, 1 and 2 threads each for ingestion and delivery.',
  scaling: 'Throughput by number of destinations, call size, and pending deliveries.',
  cluster:
    'Throughput through 1, 2 and 3 nodes of a [cluster](../guides/cluster.md), with NATS and PostgreSQL on the same two cores. An event counts when it is archived, or, from call to receiver, when it arrives. [Scaling](scaling.md) has the cost of each part.',
  'audience-sync':
    'A full sync of an audience with a million profiles, at 1,000 events/s: the first, which announces every member, and a later one, which finds no difference. The ratio is the delivery rate divided by the rate in an equally long period without a sync.',
  'audience-latency':
    'Time from a call, at 1,000 new users per second, to the identify call that reports that the user entered the audience.',
  'audience-throughput':
    'Throughput from call to receiver with 50 audiences that count the sent events, and with 50 that count other events, compared with none.',
  'client-rate':
    '`track()` calls that the client library enqueues on one core, while no server responds, compared with `@segment/analytics-node`.',
  'client-memory': 'Bytes of JSON in the queue of the client library for each byte of memory.',
  'client-go-rate':
    '`Track` calls that the Go client library serialises on one core, while no server responds, compared with the two common versions of analytics-go, which serialise in the background.',
  'client-go-memory': 'The same as `client-memory`, for the Go client library.',
}

const RESULTS = Object.keys(SUBJECTS)
  .map(readResult)
  .filter((result) => result !== undefined)

/** docs/explanation/performance.md: the figures in bench/results. */
export function performancePage(): string {
  const blocks = [
    '<!-- Generated by `npm run docs` from bench/results. Do not edit. -->',
    '# Performance',
    'This page shows how fast Hookline is, and how much CPU time, memory and disk it needs. [Sizing](../guides/sizing.md) helps you choose a machine.',
    '## Other products',
    ...PEERS,
    '## Benchmarks',
    Object.entries(SUBJECTS)
      .map(([name, subject]) => `- ${code(name)}: ${subject}`)
      .join('\n'),
    '## Figures',
    'The figures are medians over all rounds, with the minimum and the maximum. Compare benchmarks with each other only if they share a row in [the table of machines](#repeat-the-measurements).',
    table(['benchmark', 'figure', 'median (min–max)', 'goal'], RESULTS.flatMap(rowsOf)),
    ...RESULTS.flatMap(({ notes }) => notes.filter((note) => note.includes('missing:'))).map(plain),
    ...RESULTS.flatMap(({ curves = [] }) => curves).map(
      (curve) => `![${curve.title}](${pathOf(curve).replace('docs/explanation/', '')})`,
    ),
    '## Bottlenecks',
    ...LIMITS,
    '## More cores',
    'Estimates from `cores`, assuming a constant cost for each event. They ignore the load generator, the receiver, the disk, and resources that cores share.',
    ...(readResult('cores')?.tables ?? []).filter(({ name }) => name === 'Estimate').map(tableOf),
    '## Repeat the measurements',
    ...METHOD,
    `All machines: ${SHARED_PARTS.map(plain).join(', ')}.`,
    table(['machine', 'commit', 'rounds', 'benchmarks'], machineRows()),
  ]
  return `${blocks.join('\n\n')}\n`
}

const LIMITS = [
  "**CPU time.** With one or two cores, the main thread does most of the work for an event: parsing, decisions, signatures and HTTP. The writer thread writes to SQLite. The main thread is the bottleneck on two cores, while the writer thread is busy for a quarter to a half of the time. With three or more cores, separate threads do most of the main thread's work (`ingestThreads`, `deliveryThreads`). Messages between threads add about a quarter to the cost of an event.",
  '**The disk.** Each commit is an fsync. An event is sent after the commit that accepts it, and leaves its lane after the commit that records its delivery. Events that arrive during a commit share the next one, so a slow disk makes commits larger, but does not reduce throughput as long as enough events are in progress. This requires enough client connections and a large enough `webhookQueueSize`.',
]

const PEERS = [
  'Measured manually on 26 November 2026, outside `npm run bench`, on one machine with two cores and 24 GiB. Each product was built in release mode from its August 2026 source, and ran alone with fresh databases (PostgreSQL 15, Redis 7, RabbitMQ 3.10), its default durability, no rate limits, and one destination. Each request was one track event of 765 bytes. The load generator and the receiver ran on the same cores. CPU includes the databases. Each product ran once, so differences below 10% are not significant.',
  table(
    [
      'product',
      'delivered/s, 32 connections',
      'accepted/s',
      'call to receiver, p50 / p99',
      'CPU per event',
      'at 200/s: p50 / p99',
      'at 200/s: CPU per event',
      'memory, peak',
    ],
    [
      'Hookline be6538b8 | 5,296 | 5,296 | 6 / 20 ms | 0.22 ms | 2.4 / 7.8 ms | 2.2 ms | 513 MiB',
      'Svix 1.100 | 757 | 757 | 57 / 107 ms | 2.31 ms | 3.5 / 10.6 ms | 3.9 ms | 452 MiB',
      'Outpost 1.2, 64 deliveries at a time | 1,080 | 1,085 | 177 / 445 ms | 1.54 ms | 31.8 / 59.4 ms | 3.7 ms | 533 MiB',
      'RudderStack 1.83 | 1,235 | 1,643 | 14 / 20 s | 1.01 ms | 1.3 / 5.7 s | 4.2 ms | 865 MiB',
      'Convoy 26.7 | 125 | 216 | 12 / 15 s | 14.5 ms | 3.6 / 5.1 s | 10.7 ms | 934 MiB',
      'Hook0, 32 at a time | 98 | 761 | 32 / 132 s | 17.8 ms | 14 / 17 s | 16.5 ms | 748 MiB',
    ].map((row) => row.split(' | ')),
  ),
  'With 256 connections, Hookline be6538b8 accepted 4,838 calls/s and delivered 3,715/s; RudderStack accepted 4,741/s and delivered 1,746/s. No product lost an accepted call when its process was killed at 500/s; all were delivered after 7 s (Hookline), 8 s (Outpost, RudderStack), 28 s (Hook0), 46 s (Svix) and 103 s (Convoy).',
  'After a 2xx, the event is on disk in Hookline, Hook0 and RudderStack. In Svix, it is committed in PostgreSQL, but its task is in Redis, which syncs once a second. In Outpost, a RabbitMQ quorum queue has confirmed it. In Convoy, it is in Redis, or lost: the response is 201 even if Redis refuses the event.',
]

const METHOD = [
  '`npm run bench` measures everything above except the other products, and breaks down the CPU time of an event (`delivery-steps`, `cpu-breakdown`). `npm run bench -- NAME` runs one benchmark. Both need only `npm ci`, except for `delivery-peers` (Redis and PostgreSQL), `cluster` (NATS and PostgreSQL) and the Go client library (Go). `HOOKLINE_BENCH_PROFILES=FOLDER` writes CPU profiles of all processes to FOLDER.',
  'The programs that are compared take turns, and their order is reversed every other round. Most measurements begin with a warm-up. A ratio divides two figures from the same round.',
  'One process sends prepared requests of about 800 bytes per call over raw sockets, and the receiver does as little as HTTP allows. Both share the cores with the measured program. Hookline runs with its default settings on a real disk, with `synchronous=FULL`: every call is on disk before its response, and every delivery is recorded.',
]

export function performancePlots(): readonly { path: string; render: () => string }[] {
  return RESULTS.flatMap(({ curves = [] }) =>
    curves.map((curve) => ({ path: pathOf(curve), render: () => plot(curve) })),
  )
}

function pathOf({ name }: Curve): string {
  return `docs/explanation/performance/${name}.svg`
}

/** The figures on the page. `npm run bench` prints the others, which have no goal. */
export function shownFigures({ figures }: Pick<StoredMeasurement, 'figures'>): readonly Figure[] {
  return figures.filter(({ name }) => !/, 64 connections$|^rate, /.test(name))
}

function rowsOf(result: StoredMeasurement): readonly (readonly string[])[] {
  return shownFigures(result).map((figure, index) => [
    index === 0 ? code(result.name) : '',
    plain(figure.name),
    cell(figure),
    figure.goal === undefined
      ? ''
      : `${formatGoal(figure.goal)}, ${isMet(figure) ? 'met' : '**not met**'}`,
  ])
}

function tableOf({ labels, columns, rows }: Table): string {
  return table(
    [...labels, ...columns].map(plain),
    rows.map((row) =>
      [...row.labels, ...row.values.map((values) => formatSpread(values).median)].map(plain),
    ),
  )
}

/** The parts of the machine descriptions that are the same for all benchmarks, such as the memory. */
const SHARED_PARTS = RESULTS[0]!.machine
  .split(', ')
  .filter((part) => RESULTS.every(({ machine }) => machine.split(', ').includes(part)))

function machineRows(): readonly (readonly string[])[] {
  const names = new Map<string, string[]>()
  for (const { name, machine, commit, rounds, seconds } of RESULTS) {
    const parts = machine.split(', ').filter((part) => !SHARED_PARTS.includes(part))
    const key = `${plain(parts.join(', '))}\n${plain(commit)}\n${rounds} of ${seconds} s`
    names.set(key, [...(names.get(key) ?? []), code(name)])
  }
  return [...names].map(([key, of]) => [...key.split('\n'), of.join(', ')])
}

function cell({ unit, values }: Figure): string {
  const { median, min, max } = formatSpread(values)
  const spread = values.length > 1 ? ` (${min}–${max})` : ''
  return plain(`${median}${spread} ${unit}`.trim())
}
