import type { Arrivals } from './arrivals.ts'
import type { Node } from './node.ts'
import type { AcceptedCall } from './traffic.ts'

/** When one fault happened, in the time of `performance.now`. */
export interface FaultOccurrence {
  readonly kind: string
  /** Absent unless the fault affected a single node. */
  readonly node: Node | undefined
  readonly beganAt: number
  /** When the fault was over. */
  readonly endedAt: number
  /** When calls sent after that, to each node for each source, had arrived. */
  readonly recoveredAt: number
  readonly duplicates: number
}

/** The effect of one fault, in milliseconds. */
export interface Effect {
  readonly kind: string
  /** The longest time without an arrival. */
  readonly stillMs: number
  /** From its end until all parts worked again. */
  readonly recoveryMs: number
  readonly duplicates: number
  /** The number of calls with a 200 that never arrived. */
  readonly lost: number
  /** For calls to the other nodes: until the response, and from the response to the arrival. */
  readonly responses: readonly number[]
  readonly waits: readonly number[]
}

export function effectOf(
  occurrence: FaultOccurrence,
  accepted: ReadonlyMap<string, AcceptedCall>,
  arrivals: Arrivals,
): Effect {
  const { kind, node, beganAt, endedAt, recoveredAt, duplicates } = occurrence
  const isMeanwhile = (at: number): boolean => at >= beganAt && at < recoveredAt
  const meanwhile = [...accepted].filter(([, { sentAt }]) => isMeanwhile(sentAt))
  const healthy = meanwhile.filter(([, call]) => call.node !== node)
  return {
    kind,
    stillMs: longestGap([beganAt, ...arrivals.times().filter(isMeanwhile), recoveredAt]),
    recoveryMs: recoveredAt - endedAt,
    duplicates,
    lost: meanwhile.filter(([id]) => arrivals.firstAt(id) === undefined).length,
    responses: healthy.map(([, { sentAt, acceptedAt }]) => acceptedAt - sentAt),
    waits: healthy.flatMap(([id, { acceptedAt }]) => {
      const arrivedAt = arrivals.firstAt(id)
      return arrivedAt === undefined ? [] : Math.max(0, arrivedAt - acceptedAt)
    }),
  }
}

/** A Markdown table with a row for each kind of fault. */
export function faultReport(effects: readonly Effect[]): string {
  const byKind = Map.groupBy(effects, ({ kind }) => kind)
  const rows = [...byKind]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([kind, ofKind]) => rowOf(kind, ofKind))
  return [rowOfCells(HEAD), rowOfCells(HEAD.map(() => '---')), ...rows, rowOf('all', effects)].join(
    '\n',
  )
}

const HEAD = [
  'fault',
  'count',
  'lost',
  'duplicates per fault',
  'longest time without an arrival, ms (median, max)',
  'recovery after its end, ms (median, max)',
  'response p99, ms',
  '200 to arrival p99, ms',
]

function rowOf(kind: string, effects: readonly Effect[]): string {
  const sum = (valueOf: (effect: Effect) => number): number =>
    effects.reduce((total, effect) => total + valueOf(effect), 0)
  return rowOfCells([
    kind,
    effects.length,
    sum(({ lost }) => lost),
    (sum(({ duplicates }) => duplicates) / Math.max(1, effects.length)).toFixed(1),
    medianAndMax(effects.map(({ stillMs }) => stillMs)),
    medianAndMax(effects.map(({ recoveryMs }) => recoveryMs)),
    quantile(
      effects.flatMap(({ responses }) => responses),
      0.99,
    ),
    quantile(
      effects.flatMap(({ waits }) => waits),
      0.99,
    ),
  ])
}

function rowOfCells(cells: readonly unknown[]): string {
  return `| ${cells.join(' | ')} |`
}

function medianAndMax(values: readonly number[]): string {
  return `${quantile(values, 0.5)}, ${quantile(values, 1)}`
}

/** The smallest value that this share of the values does not exceed. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0)
}

function longestGap(times: readonly number[]): number {
  return times.reduce((max, at, index) => Math.max(max, at - times[Math.max(0, index - 1)]!), 0)
}
