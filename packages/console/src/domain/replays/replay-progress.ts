import type { Replay } from '@hookline/cli/management-client'

/** The completed share of the time range, from 0 to 1; `null` if it has no start. */
export function replayProgress({ state, from, to, reachedAt }: Replay): number | null {
  if (state === 'finished') return 1
  if (state === 'queued') return 0
  if (from === null || reachedAt === null) return null
  const [start, end] = [Date.parse(from), Date.parse(to)]
  if (end <= start) return null
  return Math.max(0, Math.min(1, (Date.parse(reachedAt) - start) / (end - start)))
}

/** The selection of a replay: `rejected and expired; only track; containing “order”`. */
export function describeReplay({
  states,
  types,
  text,
  includeDeclined,
  ratePerSecond,
}: Replay): string {
  return [
    states.join(' and '),
    ...(includeDeclined ? ['declined events'] : []),
    ...(types === null ? [] : [`only ${types.join(', ')}`]),
    ...(text === null ? [] : [`containing “${text}”`]),
    ...(ratePerSecond === null ? [] : [`at most ${ratePerSecond} per second`]),
  ].join('; ')
}
