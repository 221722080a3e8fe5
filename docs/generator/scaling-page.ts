import {
  costIn,
  maxRateOn,
  MAX_POSTGRES_CORES,
  type Needs,
  needsOf,
  PLANNED_SHARE,
} from '../../bench/report/cluster-needs.ts'
import { readResult } from '../../bench/report/results.ts'
import { page, table } from './markdown.ts'

const RATES = [1_000, 10_000, 100_000, 1_000_000]

/** docs/explanation/scaling.md: the bottlenecks of a cluster, and its size for large rates. */
export function scalingPage(): string {
  const result = readResult('cluster')!
  const cost = costIn(result)
  const micros = (value: number): string => `${value.toFixed(0)} µs`
  return page(
    '# Scaling',
    'This page describes the bottlenecks of a cluster, and estimates its size for high rates. The costs are from the benchmark [`cluster`](performance.md#figures), with one destination for each event and batches of 20 calls. The estimates are calculated in `bench/report/cluster-needs.ts`, not measured. Measure on your own machines before you buy hardware: `npm run bench -- cluster`.',
    '## Cost of an event',
    table(
      ['part', 'cost', 'grows with'],
      [
        ['nodes', micros(cost.nodeMicros), 'events and destinations: add nodes'],
        ['NATS', micros(cost.natsMicros), 'events, on each server with a replica'],
        ['PostgreSQL', micros(cost.postgresMicros), 'events and destinations'],
        [
          'serial part of PostgreSQL',
          micros(cost.archiveMicros),
          'events: nodes archive one at a time, to detect all duplicates',
        ],
        [
          'database disk space',
          `${Math.round(cost.bytes).toLocaleString('en')} bytes`,
          'events and destinations',
        ],
      ],
    ),
    `On the two cores of the benchmark machine, without the load generator and the receiver, these costs allow at most ${Math.round(maxRateOn(2, cost)).toLocaleString('en')} events/s.`,
    '## Bottlenecks',
    [
      '- **A node** runs mainly on one thread, and uses slightly more than one core. On a machine with more cores, run more nodes. Nodes keep no state that other nodes need.',
      `- **Archiving** into one database is serial: it takes ${micros(cost.archiveMicros)} for each event, regardless of the number of nodes. This allows at most ${Math.round(1e6 / cost.archiveMicros).toLocaleString('en')} events/s.`,
      '- **PostgreSQL** uses one core for each running statement. It writes each event to disk several times: the row, its indexes, and the write-ahead log for both.',
      '- **NATS** writes each chunk of events once on each server with a replica. Each source uses one of four partitions, so that its events stay in order. A stream is one Raft group, whose leader handles all its traffic.',
    ].join('\n'),
    '## Resources by rate',
    `The estimates use ${PLANNED_SHARE * 100}% of each core. The rest is headroom for peaks and backlogs. Each cluster has one PostgreSQL server with at most ${MAX_POSTGRES_CORES} cores, and three NATS servers. A source belongs to one cluster, so one cluster must be able to handle all events from the source.`,
    table(
      [
        'events/s',
        'nodes, one core each',
        'clusters',
        'cores for each PostgreSQL server',
        'cores for each NATS server',
        'database disk space per day',
      ],
      RATES.map((rate) => rowOf(needsOf(rate, cost))),
    ),
    "Every event is archived, because duplicates are detected in the archive. If a day's events do not fit on a disk, reduce `retention`. Each replica of the database needs the same disk space again.",
  )
}

function rowOf({ rate, nodes, clusters, postgresCores, natsCores, bytesPerDay }: Needs): string[] {
  const gigabytes = bytesPerDay / 1e9
  const disk =
    gigabytes < 1_000 ? `${gigabytes.toFixed(0)} GB` : `${(gigabytes / 1_000).toFixed(1)} TB`
  const counts = [nodes, clusters, postgresCores, natsCores]
  return [rate.toLocaleString('en'), ...counts.map((each) => each.toLocaleString('en')), disk]
}
