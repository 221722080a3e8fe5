import type { Benchmark, Effort, Figure, Goal } from '../benchmarks/benchmark.ts'

/** One of several sides: something that is started, loaded for a while, and stopped. More is better. */
export interface Side {
  readonly name: string
  /** Starts it. `measure` loads it for some seconds and returns the figure, in the unit of the comparison. */
  open(): Promise<AsyncDisposable & { measure(seconds: number): Promise<number> }>
}

export interface Opponent extends Side {
  /** Hookline's figure divided by this one's, as we want it. */
  readonly goal: number
  /** Why it cannot be had here; nothing where it can. */
  missing?(): Promise<string | undefined>
  /** What a reader has to know of it, like how durable it is. */
  note?(): Promise<string>
}

export interface Comparison {
  readonly unit: string
  readonly hookline: Side
  readonly against: readonly Opponent[]
  /** What Hookline's own figure is to be, whatever the others'. */
  readonly ownGoal?: number
  readonly notes?: readonly string[]
}

/**
 * All sides in turn, round after round, each round in fresh processes, the order changing from round to round.
 * A ratio is made of two measurements of the same round.
 */
export function comparison(compared: Comparison): Benchmark {
  return {
    async run(effort) {
      const { present, notes } = await presence(compared.against)
      const sides = [compared.hookline, ...present]
      const values = new Map<Side, number[]>(sides.map((side) => [side, []]))
      for (let round = 0; round < effort.rounds; round++) {
        for (const side of rotated(sides, round)) {
          values.get(side)!.push(await measure(side, effort))
        }
      }
      return {
        figures: figuresOf(compared, present, values),
        notes: [...(compared.notes ?? []), ...notes],
      }
    },
  }
}

async function presence(
  opponents: readonly Opponent[],
): Promise<{ readonly present: readonly Opponent[]; readonly notes: readonly string[] }> {
  const present: Opponent[] = []
  const notes: string[] = []
  for (const opponent of opponents) {
    const missing = await opponent.missing?.()
    if (missing === undefined) present.push(opponent)
    const note = missing === undefined ? await opponent.note?.() : `missing: ${missing}`
    if (note !== undefined) notes.push(`${opponent.name}: ${note}`)
  }
  return { present, notes }
}

/** Every other round backwards: what one side leaves behind, heat or dirty pages, falls upon all alike. */
function rotated<T>(sides: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? sides : sides.toReversed()
}

async function measure(side: Side, { seconds }: Effort): Promise<number> {
  await using opened = await side.open()
  // Warm code and sockets, thrown away.
  await opened.measure(seconds / 2)
  return await opened.measure(seconds)
}

function figuresOf(
  { unit, hookline, ownGoal }: Comparison,
  present: readonly Opponent[],
  values: ReadonlyMap<Side, readonly number[]>,
): readonly Figure[] {
  const figure = (side: Side, goal?: Goal): Figure => ({
    name: side.name,
    unit,
    values: values.get(side)!,
    goal,
  })
  const ratios = present.map((opponent): Figure => {
    const theirs = values.get(opponent)!
    return {
      name: present.length === 1 ? 'ratio' : `ratio to ${opponent.name}`,
      unit: '',
      values: values.get(hookline)!.map((own, round) => own / theirs[round]!),
      goal: { atLeast: opponent.goal },
    }
  })
  const own = figure(hookline, ownGoal === undefined ? undefined : { atLeast: ownGoal })
  return [own, ...present.map((opponent) => figure(opponent)), ...ratios]
}
