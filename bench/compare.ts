/** One of two sides: something that is started, loaded for a while, and stopped. More is better. */
export interface Side {
  readonly name: string
  /** Starts it. `measure` loads it for some seconds and returns the figure, in the benchmark's unit. */
  open(): Promise<AsyncDisposable & { measure(seconds: number): Promise<number> }>
}

export interface Benchmark {
  /** As it is written behind the figure, like `calls/s`. */
  readonly unit: string
  readonly hookline: Side
  readonly against: Side
  /** Hookline's figure divided by the other's, as we want it. */
  readonly goal: number
  /** What Hookline's own figure is to be, whatever the other's. */
  readonly ownGoal?: number
}

export interface Effort {
  readonly rounds: number
  readonly seconds: number
}

export interface Comparison {
  readonly name: string
  readonly unit: string
  readonly goal: number
  readonly ownGoal: number | undefined
  readonly sides: Readonly<Record<string, readonly number[]>>
  /** One ratio for each round, of two measurements taken one after the other. */
  readonly ratios: readonly number[]
}

/** Both sides in turn, round after round, each round in fresh processes, the order alternating. */
export async function compare(
  name: string,
  benchmark: Benchmark,
  effort: Effort,
): Promise<Comparison> {
  const { hookline, against, unit, goal, ownGoal } = benchmark
  const figures: Record<string, number[]> = { [hookline.name]: [], [against.name]: [] }
  for (let round = 0; round < effort.rounds; round++) {
    const order = round % 2 === 0 ? [hookline, against] : [against, hookline]
    for (const side of order) figures[side.name]!.push(await measure(side, effort.seconds))
  }
  const ratios = figures[hookline.name]!.map((own, round) => own / figures[against.name]![round]!)
  return { name, unit, goal, ownGoal, sides: figures, ratios }
}

async function measure(side: Side, seconds: number): Promise<number> {
  await using opened = await side.open()
  // Warm code and sockets, thrown away.
  await opened.measure(seconds / 2)
  return await opened.measure(seconds)
}
