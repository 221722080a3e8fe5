import type { TracedAttempt } from './trace-query.ts'

type NumberedAttempt = Pick<TracedAttempt, 'id' | 'number' | 'url' | 'startedAt' | 'replayId'>

/** `#2`, or `#1 of manual retry 2`, by the id of the attempt: numbers restart with each manual retry and replay. */
export function attemptNames(attempts: readonly NumberedAttempt[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const own of Map.groupBy(attempts, ({ url }) => url).values()) {
    const counts = { 'manual retry': 0, replay: 0 }
    let suffix = ''
    let before = 0
    for (const { id, number, replayId } of own.toSorted(byStart)) {
      const kind = replayId === undefined ? 'manual retry' : 'replay'
      if (number <= before || (before === 0 && kind === 'replay')) {
        counts[kind] += 1
        suffix = ` of ${kind}${counts[kind] > 1 ? ` ${counts[kind]}` : ''}`
      }
      before = number
      names.set(id, `#${number}${suffix}`)
    }
  }
  return names
}

function byStart(a: NumberedAttempt, b: NumberedAttempt): number {
  return Date.parse(a.startedAt) - Date.parse(b.startedAt)
}
