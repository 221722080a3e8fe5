import { ClusterDatabase, ClusterServers, type DatabaseCounts } from '../load/cluster-servers.ts'
import {
  loadedDelivering,
  loadedIngestion,
  type LoadedNodes,
  type Nodes,
} from '../load/loaded-cluster.ts'
import { BATCH } from '../load/throughput.ts'
import { processMicros } from '../profile/process-times.ts'
import type { Benchmark, Figure, Goal, RunSettings, Table } from './benchmark.ts'
import { CONNECTIONS } from './ingest.ts'

/** A load, and a function that opens a service under it. */
interface Load {
  readonly name: string
  readonly open: (servers: ClusterServers, nodes: Nodes) => Promise<LoadedNodes>
}

const LOADS: readonly Load[] = [
  {
    name: 'single calls',
    open: (servers, nodes) =>
      loadedIngestion(servers, nodes, { count: 1, connections: CONNECTIONS }),
  },
  {
    name: `batches of ${BATCH}`,
    open: (servers, nodes) =>
      loadedIngestion(servers, nodes, { count: BATCH, connections: CONNECTIONS }),
  },
  {
    name: 'from call to receiver',
    open: (servers, nodes) => loadedDelivering(servers, nodes, BATCH),
  },
]

/** 0: the embedded backend. */
const SIDES: readonly Nodes[] = [0, 1, 2, 3]

/** One measurement. CPU times are per event, in microseconds. */
interface Round {
  readonly rate: number
  readonly nodeMicros: number
  readonly natsMicros: number
  readonly postgresMicros: number
  readonly eventsPerCommit: number
  readonly archiveMicros: number
  readonly bytes: number
}

type Rounds = ReadonlyMap<Load, ReadonlyMap<Nodes, Round[]>>

/**
 * Ingestion and delivery through 1, 2 and 3 nodes with NATS and PostgreSQL on this machine, and
 * through the embedded backend, in turn. An event is counted only when it is archived or has
 * reached its receiver, because NATS accepts events faster than they are processed.
 */
export function cluster(goals: { readonly ratio: number; readonly twoNodes: number }): Benchmark {
  return {
    async run(settings) {
      const missing = ClusterServers.missing()
      if (missing !== undefined) return { figures: [], notes: [`missing: ${missing}`] }
      await using servers = await ClusterServers.start()
      const rounds = await measureAll(servers, settings)
      return {
        figures: LOADS.flatMap((load) => figuresOf(load, rounds.get(load)!, goals)),
        tables: [costTable(rounds)],
        notes: NOTES,
      }
    },
  }
}

/** The name of the table. The scaling page looks up the table and its columns by name. */
export const COST_TABLE = 'Cost of an event'
const COST_COLUMNS: readonly (readonly [string, (round: Round) => number])[] = [
  ['Hookline, µs', ({ nodeMicros }) => nodeMicros],
  ['NATS, µs', ({ natsMicros }) => natsMicros],
  ['PostgreSQL, µs', ({ postgresMicros }) => postgresMicros],
  ['all, µs', (round) => round.nodeMicros + round.natsMicros + round.postgresMicros],
  ['one at a time, µs', ({ archiveMicros }) => archiveMicros],
  ['database, bytes', ({ bytes }) => bytes],
  ['events in a commit', ({ eventsPerCommit }) => eventsPerCommit],
]
const OF_PROCESSES = 4

const NOTES = [
  'PostgreSQL in its default configuration, which syncs each commit; NATS with one copy, syncing every two minutes by default',
  'load, receiver, nodes, NATS and PostgreSQL share the cores',
]

async function measureAll(servers: ClusterServers, settings: RunSettings): Promise<Rounds> {
  // A quick run omits the side with three nodes, which has no goal.
  const sides = settings.isQuick ? SIDES.slice(0, -1) : SIDES
  const all = new Map(
    LOADS.map((load) => [load, new Map(sides.map((side) => [side, [] as Round[]]))]),
  )
  for (let round = 0; round < settings.rounds; round++)
    for (const [load, bySide] of all)
      for (const [side, rounds] of round % 2 === 0 ? bySide : [...bySide].toReversed())
        rounds.push(await measure(servers, { load, nodes: side }, settings))
  return all
}

async function measure(
  servers: ClusterServers,
  { load, nodes: count }: { readonly load: Load; readonly nodes: Nodes },
  { seconds }: RunSettings,
): Promise<Round> {
  await using loaded = await load.open(servers, count)
  await using database = loaded.place && (await ClusterDatabase.open(loaded.place))
  const pids = loaded.nodes.map(({ program }) => program.pid)
  const used = (): readonly number[] => {
    const { nats, postgres } = servers.cpuMicros()
    return [pids.reduce((sum, pid) => sum + processMicros(pid), 0), nats, postgres]
  }
  // The first measurement only warms up code and sockets.
  await loaded.load(seconds / 2)
  const [before, counts] = [used(), await database?.counts()]
  const done = await loaded.load(seconds)
  const [nodeMicros, natsMicros, postgresMicros] = used().map(
    (micros, index) => (micros - before[index]!) / done.events,
  ) as [number, number, number]
  const grown = grownBy(counts, await database?.counts())
  return {
    rate: done.events / done.seconds,
    nodeMicros,
    natsMicros,
    postgresMicros,
    eventsPerCommit: done.events / grown.commits,
    archiveMicros: grown.archiveMicros / done.events,
    bytes: grown.bytes / done.events,
  }
}

/** The embedded backend has no database counts: only its processes are measured. */
function grownBy(before?: DatabaseCounts, after?: DatabaseCounts): DatabaseCounts {
  if (before === undefined || after === undefined)
    return { commits: NaN, archiveMicros: 0, bytes: 0 }
  return {
    commits: after.commits - before.commits,
    archiveMicros: after.archiveMicros - before.archiveMicros,
    bytes: after.bytes - before.bytes,
  }
}

function figuresOf(
  { name }: Load,
  bySide: ReadonlyMap<Nodes, readonly Round[]>,
  goals: { readonly ratio: number; readonly twoNodes: number },
): Figure[] {
  const rates = (side: Nodes): readonly number[] => (bySide.get(side) ?? []).map(({ rate }) => rate)
  const ratio = (side: Nodes, other: Nodes): readonly number[] =>
    rates(side).map((rate, round) => rate / rates(other)[round]!)
  const ratioOf = (label: string, values: readonly number[], goal: Goal): Figure => ({
    name: `${name}, ${label}`,
    unit: '',
    values,
    goal,
  })
  return [
    ...[...bySide.keys()].map((side): Figure => {
      return { name: `${name}, ${sideName(side)}`, unit: 'events/s', values: rates(side) }
    }),
    ratioOf('one node to embedded', ratio(1, 0), { atLeast: goals.ratio }),
    ratioOf('two nodes to one', ratio(2, 1), { atLeast: goals.twoNodes }),
  ]
}

function sideName(side: Nodes): string {
  if (side === 0) return 'embedded'
  return side === 1 ? '1 node' : `${side} nodes`
}

/** The cost of an event in each process and, except on the embedded backend, in the database. */
function costTable(rounds: Rounds): Table {
  const rows = [...rounds].flatMap(([{ name }, bySide]) =>
    [...bySide].map(([side, measured]) => ({
      labels: [name, sideName(side)],
      values: COST_COLUMNS.map(([, valueOf], column) =>
        side === 0 && column >= OF_PROCESSES ? [] : measured.map(valueOf),
      ),
    })),
  )
  const columns = COST_COLUMNS.map(([name]) => name)
  return { name: COST_TABLE, labels: ['load', 'backend'], columns, rows }
}
