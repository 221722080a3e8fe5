import type { Benchmark, RunSettings, Figure, Goal } from './benchmark.ts'

/** One side of a comparison, which is started, loaded for a few seconds and stopped. Higher is better. */
export interface Side {
  readonly name: string
  /** Starts the side. `measure` loads it for this many seconds and resolves with the figure in the comparison's unit. */
  open(): Promise<AsyncDisposable & { measure(seconds: number): Promise<number> }>
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
      const values = new Map<Side, number[]>(sides.map((side) => [side, []]))
      for (let round = 0; round < settings.rounds; round++) {
        for (const side of inAlternateOrder(sides, round)) {
          values.get(side)!.push(await measure(side, settings))
        }
      }
      return {
        figures: figuresOf(compared, present, values),
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

/** Reverses every other round, so that heat and dirty pages left by one side affect all sides alike. */
function inAlternateOrder<T>(sides: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? sides : sides.toReversed()
}

async function measure(side: Side, { seconds }: RunSettings): Promise<number> {
  await using opened = await side.open()
  // The first measurement only warms up code and sockets.
  await opened.measure(seconds / 2)
  return await opened.measure(seconds)
}

function figuresOf(
  { unit, hookline, hooklineGoal }: Comparison,
  present: readonly Peer[],
  values: ReadonlyMap<Side, readonly number[]>,
): readonly Figure[] {
  const figure = (side: Side, goal?: Goal): Figure => ({
    name: side.name,
    unit,
    values: values.get(side)!,
    goal,
  })
  const ratios = present.map((peer): Figure => {
    const theirs = values.get(peer)!
    return {
      name: present.length === 1 ? 'ratio' : `ratio to ${peer.name}`,
      unit: '',
      values: values.get(hookline)!.map((own, round) => own / theirs[round]!),
      goal: atLeast(peer.goal),
    }
  })
  const own = figure(hookline, atLeast(hooklineGoal))
  return [own, ...present.map((peer) => figure(peer)), ...ratios]
}

function atLeast(goal: number | undefined): Goal | undefined {
  return goal === undefined ? undefined : { atLeast: goal }
}
