import type { Replay } from '@hookline/cli/management-client'

/** How much of its time a replay has gone through, from 0 to 1; `null` where it begins with the oldest event. */
export function replayProgress({ state, from, to, reachedAt }: Replay): number | null {
  if (state === 'finished') return 1
  if (state === 'queued') return 0
  if (from === null || reachedAt === null) return null
  const [start, end] = [Date.parse(from), Date.parse(to)]
  if (end <= start) return null
  return Math.max(0, Math.min(1, (Date.parse(reachedAt) - start) / (end - start)))
}

/** What a replay sends again, in words: `rejected and expired; only track; that contain “order”`. */
export function replayWords({
  states,
  types,
  text,
  includeDeclined,
  ratePerSecond,
}: Replay): string {
  return [
    states.join(' and '),
    ...(includeDeclined ? ['and what arrived while it was disabled'] : []),
    ...(types === null ? [] : [`only ${types.join(', ')}`]),
    ...(text === null ? [] : [`that contain “${text}”`]),
    ...(ratePerSecond === null ? [] : [`at most ${ratePerSecond} per second`]),
  ].join('; ')
}
