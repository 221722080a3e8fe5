import { type EventCost, type LoadedProgram, usageDuring } from '../load/loaded-program.ts'
import type { Benchmark, RunSettings, Figure, Goal, Table } from './benchmark.ts'

/** One side of a comparison, which is started, loaded for a few seconds and stopped. A higher figure is better. */
export interface Side {
  readonly name: string
  /**
   * Starts the side. `measure` loads it for this many seconds and resolves with the figure in the comparison's unit. The CPU
   * time of the threads of `program` is measured as well.
   */
  open(): Promise<AsyncDisposable & Pick<LoadedProgram, 'measure'> & Partial<LoadedProgram>>
}

/** A side that Hookline is compared with. */
interface Peer extends Side {
  /** The goal for Hookline's figure divided by this one. */
  readonly goal?: number | undefined
  /** Why this side cannot run here; undefined if it can. */
  missing?(): Promise<string | undefined>
  /** Context for the reader, such as its durability. */
  note?(): Promise<string>
}

export interface Comparison {
  readonly unit: string
  readonly hookline: Side
  readonly peers: readonly Peer[]
  /** The goal for Hookline's own figure. */
  readonly hooklineGoal?: number
  readonly notes?: readonly string[]
}

/**
 * In each round, measures all sides one after the other in new processes. The order is reversed every other round. A ratio
 * compares two measurements of the same round.
 */
export function comparison(compared: Comparison): Benchmark {
  return {
    async run(settings) {
      const { present, notes } = await presentPeers(compared.peers)
      const sides = [compared.hookline, ...present]
      const rounds = new Map<Side, Round[]>(sides.map((side) => [side, []]))
      for (let round = 0; round < settings.rounds; round++) {
        for (const side of inAlternateOrder(sides, round)) {
          rounds.get(side)!.push(await measure(side, settings))
        }
      }
      return {
        figures: figuresOf(compared, present, rounds),
        tables: threadTable(
          [...rounds].map(([{ name }, of]) => [name, of.map(({ micros }) => micros)]),
        ),
        notes: [...(compared.notes ?? []), ...notes],
      }
    },
  }
}

async function presentPeers(
  peers: readonly Peer[],
): Promise<{ readonly present: readonly Peer[]; readonly notes: readonly string[] }> {
  const present: Peer[] = []
  const notes: string[] = []
  for (const peer of peers) {
    const missing = await peer.missing?.()
    if (missing === undefined) present.push(peer)
    const note = missing === undefined ? await peer.note?.() : `missing: ${missing}`
    if (note !== undefined) notes.push(`${peer.name}: ${note}`)
  }
  return { present, notes }
}

/** Reverses the order in every other round, so that heat and dirty pages left by one side affect all sides alike. */
export function inAlternateOrder<T>(sides: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? sides : sides.toReversed()
}

/** The figure of one measurement, and the CPU time per event of each kind of thread, if it was measured. */
interface Round {
  readonly figure: number
  readonly micros: EventCost['byThread']
}

async function measure(side: Side, settings: RunSettings): Promise<Round> {
  const { seconds, warmUpSeconds = seconds / 2 } = settings
  await using opened = await side.open()
  // The first measurement only warms up code and sockets.
  await opened.measure(warmUpSeconds)
  if (!isLoadedProgram(opened)) return { figure: await opened.measure(seconds), micros: new Map() }
  const { usage, events, rate } = await usageDuring(opened, seconds)
  const micros = new Map([...usage].map(([kind, { cpuMicros }]) => [kind, cpuMicros / events]))
  return { figure: rate, micros }
}

function isLoadedProgram(opened: Awaited<ReturnType<Side['open']>>): opened is LoadedProgram {
  return opened.program !== undefined
}

/** The CPU time per event by program and kind of thread: for each program, the times of each round. */
export function threadTable(
  rounds: readonly (readonly [name: string, readonly EventCost['byThread'][]])[],
): readonly Table[] {
  const rows = rounds.flatMap(([name, of]) =>
    [...new Set(of.flatMap((micros) => [...micros.keys()]))].map((kind) => ({
      labels: [name, kind],
      values: [of.map((micros) => micros.get(kind) ?? 0)],
    })),
  )
  if (rows.length === 0) return []
  return [{ name: 'CPU by thread', labels: ['program', 'thread'], columns: ['µs/event'], rows }]
}

function figuresOf(
  { unit, hookline, hooklineGoal }: Comparison,
  present: readonly Peer[],
  rounds: ReadonlyMap<Side, readonly Round[]>,
): readonly Figure[] {
  const valuesOf = (side: Side): readonly number[] => rounds.get(side)!.map(({ figure }) => figure)
  const figureOf = (side: Side, goal?: Goal): Figure => ({
    name: side.name,
    unit,
    values: valuesOf(side),
    goal,
  })
  const ratios = present.map((peer): Figure => {
    const theirs = valuesOf(peer)
    return {
      name: present.length === 1 ? 'ratio' : `ratio to ${peer.name}`,
      unit: '',
      values: valuesOf(hookline).map((own, round) => own / theirs[round]!),
      goal: atLeast(peer.goal),
    }
  })
  const own = figureOf(hookline, atLeast(hooklineGoal))
  return [own, ...present.map((peer) => figureOf(peer)), ...ratios]
}

function atLeast(goal: number | undefined): Goal | undefined {
  return goal === undefined ? undefined : { atLeast: goal }
}
