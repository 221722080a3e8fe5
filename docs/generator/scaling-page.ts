import {
  costIn,
  mostOn,
  MOST_POSTGRES_CORES,
  type Needs,
  needsOf,
  PLANNED_SHARE,
} from '../../bench/report/cluster-needs.ts'
import { readResult } from '../../bench/report/results.ts'
import { page, table } from './markdown.ts'

const RATES = [1_000, 10_000, 100_000, 1_000_000]

/** docs/explanation/scaling.md: what limits a cluster, and what large rates need. */
export function scalingPage(): string {
  const result = readResult('cluster')!
  const cost = costIn(result)
  const micros = (value: number): string => `${value.toFixed(0)} µs`
  return page(
    '# Scaling',
    'What limits a cluster, and what it needs for rates that nobody here has measured. The costs come from the benchmark [`cluster`](performance.md#cluster): they are of one destination for each event, and of calls in batches of 20. The rest is arithmetic, in `bench/report/cluster-needs.ts`. Measure on your own machines before you buy some: `npm run bench -- cluster`.',
    '## What an event costs',
    table(
      ['part', 'processor time', 'grows with'],
      [
        ['nodes', micros(cost.nodeMicros), 'events and destinations: add nodes'],
        ['NATS', micros(cost.natsMicros), 'events, on each server that keeps a copy'],
        ['PostgreSQL', micros(cost.postgresMicros), 'events and destinations'],
        [
          'of that, one at a time',
          micros(cost.archiveMicros),
          'events: all nodes take turns to archive, so duplicates are found exactly',
        ],
        ['disk of the database', `${cost.bytes.toFixed(0)} bytes`, 'events and destinations'],
      ],
    ),
    `On the two cores of the machine of the benchmark, with load and receiver beside it, that allows at most ${mostOn(2, cost).toFixed(0)} events/s.`,
    '## What limits each part',
    [
      '- **A node** is one thread: it uses one core and a bit. A machine with more cores runs more nodes. Nodes keep nothing that another one needs.',
      `- **The archive of a database** is one queue: ${micros(cost.archiveMicros)} for each event, whatever the number of nodes. It allows at most ${(1e6 / cost.archiveMicros).toFixed(0)} events/s.`,
      '- **PostgreSQL** uses one core for each statement that runs. Its disk writes each event several times: the row, its indexes, and the write-ahead log of both.',
      '- **NATS** writes each chunk of events once on each server that keeps a copy. A source has one partition of four, so that its events keep their order; a stream is one Raft group, whose leader has all of it.',
    ].join('\n'),
    '## What a rate needs',
    `Planned for ${PLANNED_SHARE * 100} % of each core: the rest is for peaks, and for working off what has waited. A cluster is nodes with a PostgreSQL and three NATS servers of their own. A source belongs to one cluster, so sources are divided among them; no database has more than ${MOST_POSTGRES_CORES} cores. One source cannot exceed what one cluster takes.`,
    table(
      [
        'events/s',
        'nodes, one core each',
        'clusters',
        'cores of each PostgreSQL',
        'cores of each NATS server',
        'disk of all databases, a day',
      ],
      RATES.map((rate) => rowOf(needsOf(rate, cost))),
    ),
    'Keep events for a shorter time (`retention`) where a day of them does not fit on a disk: every event is archived, because duplicates are found in the archive. Replicas of the database need the same disk again.',
  )
}

function rowOf({ rate, nodes, clusters, postgresCores, natsCores, bytesPerDay }: Needs): string[] {
  const gigabytes = bytesPerDay / 1e9
  const disk =
    gigabytes < 1_000 ? `${gigabytes.toFixed(0)} GB` : `${(gigabytes / 1_000).toFixed(1)} TB`
  const counts = [nodes, clusters, postgresCores, natsCores]
  return [rate.toLocaleString('en'), ...counts.map((each) => each.toLocaleString('en')), disk]
}
