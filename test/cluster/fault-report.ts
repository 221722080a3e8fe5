import type { Arrivals } from './arrivals.ts'
import type { AcceptedCall } from './traffic.ts'

/** What one fault did. Times are those of `performance.now`. */
export interface Happened {
  readonly kind: string
  readonly beganAt: number
  /** A call that was sent after the fault began had arrived. */
  readonly flowedAt: number
  /** What was away was there again. */
  readonly mendedAt: number
  /** A call to each node of each source had arrived that was sent after that. */
  readonly recoveredAt: number
  readonly duplicates: number
}

interface Traffic {
  readonly accepted: ReadonlyMap<string, AcceptedCall>
}

/** A table with a row for each kind of fault, in Markdown. */
export function faultReport(
  all: readonly Happened[],
  traffic: Traffic,
  arrivals: Arrivals,
): string {
  const byKind = Map.groupBy(all, ({ kind }) => kind)
  const rows = [...byKind].map(([kind, happened]) => rowOf(kind, happened, { traffic, arrivals }))
  return [HEAD, LINE, ...rows, rowOf('all', all, { traffic, arrivals })].join('\n')
}

const HEAD =
  '| fault | count | deliveries flow after, ms (median, max) | all parts work, ms after its end (median, max) | duplicates a fault | response p99, ms | 200 to arrival p99, ms |'
const LINE = `|${' --- |'.repeat(7)}`

function rowOf(
  kind: string,
  happened: readonly Happened[],
  { traffic, arrivals }: { readonly traffic: Traffic; readonly arrivals: Arrivals },
): string {
  const meanwhile = [...traffic.accepted].filter(([, { sentAt }]) =>
    happened.some(({ beganAt, recoveredAt }) => sentAt >= beganAt && sentAt < recoveredAt),
  )
  const responses = meanwhile.map(([, { sentAt, acceptedAt }]) => acceptedAt - sentAt)
  const waits = meanwhile.map(([id, { acceptedAt }]) =>
    Math.max(0, (arrivals.firstAt(id) ?? Infinity) - acceptedAt),
  )
  const cells = [
    kind,
    happened.length,
    medianAndMax(happened.map(({ beganAt, flowedAt }) => flowedAt - beganAt)),
    medianAndMax(happened.map(({ mendedAt, recoveredAt }) => recoveredAt - mendedAt)),
    (happened.reduce((sum, each) => sum + each.duplicates, 0) / happened.length).toFixed(1),
    Math.round(quantile(responses, 0.99)),
    Math.round(quantile(waits, 0.99)),
  ]
  return `| ${cells.join(' | ')} |`
}

function medianAndMax(values: readonly number[]): string {
  return `${Math.round(quantile(values, 0.5))}, ${Math.round(Math.max(...values))}`
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
