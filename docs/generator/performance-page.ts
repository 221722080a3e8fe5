import type { BenchmarkName } from '../../bench/benchmarks/benchmarks.ts'
import { type Curve, type Figure, isMet, type Table } from '../../bench/benchmarks/benchmark.ts'
import { plot } from '../../bench/report/plot.ts'
import { formatGoal, formatSpread } from '../../bench/report/report.ts'
import { readResult, type StoredMeasurement } from '../../bench/report/results.ts'
import { code, plain, table } from './markdown.ts'

/** The subject of each benchmark. */
export const SUBJECTS: Readonly<Record<BenchmarkName, string>> = {
  'ingest-single':
    'Calls accepted with one call per request, over 256 connections and over 64, each on disk before its 200, compared with a bare `node:http` server that parses the JSON and responds.',
  'ingest-batch':
    'Calls accepted in batches of 20, as client libraries send them, each on disk before its 200, compared with the same bare server.',
  delivery:
    'Events from the log through decision, signature and request to a receiver, with a record of each delivery, compared with a bare loop of undici requests with the same bodies, signatures and concurrency, which stores nothing.',
  routing:
    'Deliveries with a filter of two clauses that selects every event, compared with deliveries without one.',
  transforms: 'Deliveries with a transform of ten lines, compared with deliveries without one.',
  traces:
    'Deliveries with OpenTelemetry on and no trace sampled, compared with deliveries without a collector, and with `traceContext: off`.',
  'delivery-peers':
    'The events from `delivery`, sent through two hand-written programs ([bench/programs](../../bench/programs)). BullMQ runs on Redis without appendonly, so its jobs are not on disk; completed jobs are removed. pg-boss runs on PostgreSQL with fsync; completed jobs are kept, without attempts.',
  'end-to-end':
    'Latency from call to receiver, at half of the maximum rate of single calls, sent at random times. The time starts when a call is due, so it includes any delay in sending the call. Overload: deliveries per second while 32 or 256 connections each send their next call after the previous response.',
  isolation:
    'Healthy webhooks next to faulty ones, at 80% of the maximum load: nine destinations next to one whose webhook never responds, and three webhooks of a destination next to one that never responds and one that takes 4 s, compared with runs without the fault; the noise is the difference between two of these.',
  growth:
    'Events per second from call to receiver with 10 million rows of history and a million pending deliveries for the same destination, compared with an empty database.',
  memory:
    'Memory of the process after the same load, with a million pending deliveries and with none.',
  restart:
    'Time from the start of the process to the first delivery, with a million pending deliveries.',
  cost: 'The resources that an event of 825 bytes uses from call to receiver, with its history and indexes. At a low rate, fewer events share a commit, so each costs more.',
  'cost-ratio':
    'The CPU time of an event from call to receiver, in all threads, compared with the bare server and the bare loop together.',
  'cost-low':
    'The CPU time and the wake-ups of an event from call to receiver at 200 events/s, compared with a bare `node:http` server that sends each call with undici.',
  'one-event':
    'The number of our functions and files that one `track` call passes through on its way to one receiver, and its messages between threads.',
  'delivery-steps':
    'The CPU time of a delivered event, in steps: the bare loop of `delivery`; with events from the log on disk; with a record of each delivery on disk; and Hookline, which adds decisions, lanes, limits, breakers, retries, guards and metrics.',
  cores:
    'Throughput with 0, 1 and 2 threads for ingestion and delivery, and the load of each thread, from which the estimates below are calculated.',
  'cpu-breakdown': 'The CPU time of an event by thread, folder of our code, and library.',
  scaling: 'Throughput by number of destinations and by call size.',
  cluster:
    'Ingestion, and events from call to receiver, through 1, 2 and 3 nodes of a [cluster](../guides/cluster.md), with NATS and PostgreSQL on the same two cores. A call counts when it is archived. See [scaling](scaling.md) for the cost of each part.',
  'audience-sync':
    'A full sync of an audience with a million profiles, at 1,000 events/s: the first, which announces every member, and a later one, which finds no difference. The ratio is the delivery rate divided by the rate in an equally long period without a sync.',
  'audience-latency':
    'Time from a call, at 1,000 new users per second, to the identify call that reports that the user entered the audience.',
  'audience-throughput':
    'Events from call to receiver with 50 audiences, and with 50 that count other events, compared with none.',
  'client-rate':
    '`track()` calls that the client library enqueues on one core, while no server responds, compared with `@segment/analytics-node`.',
  'client-memory': 'Bytes of JSON in the queue of the client library for each byte of memory.',
  'client-go-rate':
    '`Track` calls that the Go client library serialises on one core, while no server responds, compared with the two common versions of analytics-go, which serialise in the background.',
  'client-go-memory':
    'Bytes of JSON in the queue of the Go client library for each byte of memory.',
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
    'The figures are medians over all rounds, with the minimum and the maximum. Benchmarks that share a row in [the table of machines](#repeat-the-measurements) can be compared with each other; the others ran on other machines or versions.',
    table(['benchmark', 'figure', 'median (min – max)', 'goal', ''], RESULTS.flatMap(rowsOf)),
    ...RESULTS.flatMap(({ notes }) => notes.filter((note) => note.includes('missing:'))).map(plain),
    ...RESULTS.flatMap(threadTable),
    ...RESULTS.flatMap(({ curves = [] }) => curves).map(
      (curve) => `![${curve.title}](${pathOf(curve).replace('docs/explanation/', '')})`,
    ),
    '## Bottlenecks',
    ...LIMITS,
    '## More cores',
    'Estimates based on `cores`, assuming a constant cost for each event. They ignore the load generator, the receiver, the disk, and resources that cores share.',
    ...(readResult('cores')?.tables ?? []).filter(({ name }) => name === 'Estimate').map(tableOf),
    '## Repeat the measurements',
    ...METHOD,
    table(['machine', 'commit', 'rounds', 'benchmarks'], machineRows()),
  ]
  return `${blocks.join('\n\n')}\n`
}

const LIMITS = [
  "**CPU time.** The cost is spread over many layers: the largest accounts for a tenth. The writer thread writes to SQLite. With one or two cores, the main thread does everything else: parsing, decisions, signatures and HTTP. With three or more cores, separate threads do most of this (`ingestThreads`, `deliveryThreads`). On two cores, the main thread is the bottleneck, while the writer thread is busy for a quarter to a half of the time. More threads would take over some of the main thread's work, but messages between threads add about a quarter to the cost of an event.",
  '**The disk.** Each commit is an fsync. An event is sent after the commit that accepts it, and leaves its lane after the commit that records its delivery. Events that arrive during a commit share the next one, so a slow disk makes commits larger, but does not reduce throughput. This requires enough concurrent events: enough client connections, and a large enough `webhookQueueSize`.',
]

const PEERS = [
  'Measured manually on 26 November 2026, outside `npm run bench`, on one quiet machine with two cores and 24 GiB. Each product was built in release mode from its August 2026 source, and ran alone with fresh databases (PostgreSQL 15, Redis 7, RabbitMQ 3.10), its default durability, no rate limits, and one destination. Each request was one track event of 765 bytes. The load generator and the receiver ran on the same cores and used about 0.06 ms per event. CPU includes the databases. Each product ran once, so differences below 10% are not significant.',
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
  'A 2xx does not mean the same thing in every product. In Hookline, Hook0 and RudderStack, the event is committed and synced to disk. In Svix, it is committed in PostgreSQL, and its task is in Redis, which syncs once a second. In Outpost, it is confirmed by a RabbitMQ quorum queue; destinations are only in Redis. In Convoy, it is enqueued in Redis, and the response is 201 even if Redis refuses it.',
]

const METHOD = [
  '`npm run bench` measures everything above except the other products, and `npm run bench -- NAME` runs one benchmark. It needs only `npm ci`; `delivery-peers` and `cluster` also need Redis, PostgreSQL and NATS. `HOOKLINE_BENCH_PROFILES=FOLDER` writes CPU profiles of all processes to FOLDER.',
  "Hookline and its peers take turns, in a different order each round. Each round starts new processes, and begins with a warm-up: 10 s for rounds of 10 s, otherwise half of the measured time. A ratio is Hookline's figure divided by the peer's in the same round.",
  'One process sends prepared requests over raw sockets, and the receiver does as little as HTTP allows. Both share the cores with the measured program. A call is about 800 bytes long and has a unique messageId. Hookline runs with its default settings on a real disk, with `synchronous=FULL`: every call is on disk before its response, and every delivery is recorded.',
]

export function performancePlots(): readonly { path: string; render: () => string }[] {
  return RESULTS.flatMap(({ curves = [] }) =>
    curves.map((curve) => ({ path: pathOf(curve), render: () => plot(curve) })),
  )
}

function pathOf({ name }: Curve): string {
  return `docs/explanation/performance/${name}.svg`
}

function rowsOf({ name, figures }: StoredMeasurement): readonly (readonly string[])[] {
  return figures.map((figure, index) => [
    index === 0 ? code(name) : '',
    plain(figure.name),
    cell(figure),
    figure.goal === undefined ? '' : formatGoal(figure.goal),
    figure.goal === undefined ? '' : isMet(figure) ? 'met' : '**not met**',
  ])
}

function threadTable({ name, tables = [] }: StoredMeasurement): readonly string[] {
  const found = tables.filter((each) => each.name === 'CPU by thread')
  return found.flatMap((each) => [`CPU time in ${code(name)} by thread:`, tableOf(each)])
}

function tableOf({ labels, columns, rows }: Table): string {
  return table(
    [...labels, ...columns].map(plain),
    rows.map((row) =>
      [...row.labels, ...row.values.map((values) => formatSpread(values).median)].map(plain),
    ),
  )
}

function machineRows(): readonly (readonly string[])[] {
  const names = new Map<string, string[]>()
  for (const { name, machine, commit, rounds, seconds } of RESULTS) {
    const key = `${plain(machine)}\n${plain(commit)}\n${rounds} of ${seconds} s`
    names.set(key, [...(names.get(key) ?? []), code(name)])
  }
  return [...names].map(([key, of]) => [...key.split('\n'), of.join(', ')])
}

function cell({ unit, values }: Figure): string {
  const { median, min, max } = formatSpread(values)
  const spread = values.length > 1 ? ` (${min} – ${max})` : ''
  return plain(`${median}${spread} ${unit}`.trim())
}
