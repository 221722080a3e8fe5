import { duration, shortNumber } from '../../format/figures.ts'

/** `+12% vs previous period` */
export function countChange(now: number | null, before: number | null): string {
  if (before === 0 && now !== null && now > 0) return 'none in the previous period'
  const percentOf = (change: number, from: number): number =>
    change === 0 ? 0 : Math.round((change / from) * 100)
  return changeText(now, before, percentOf, (percent) => `${shortNumber(percent)}%`)
}

/** `average 12, previously 3`; empty without data. A percentage would mean little: the mean is often near 0. */
export function meanChange(now: number | null, before: number | null): string {
  if (now === null) return ''
  return `average ${shortNumber(now)}${before === null ? '' : `, previously ${shortNumber(before)}`}`
}

/** `−0.4 points vs previous period` */
export function shareChange(now: number | null, before: number | null): string {
  const pointsOf = (change: number): number => Math.round(change * 1_000) / 10
  return changeText(now, before, pointsOf, (points) => `${points} points`)
}

/** `−120 ms vs previous period` */
export function durationChange(now: number | null, before: number | null): string {
  return changeText(now, before, Math.round, duration)
}

function changeText(
  now: number | null,
  before: number | null,
  round: (change: number, from: number) => number,
  format: (size: number) => string,
): string {
  if (now === null || before === null) return 'no previous data'
  const change = round(now - before, before)
  if (change === 0) return 'no change'
  return `${change > 0 ? '+' : '−'}${format(Math.abs(change))} vs previous period`
}
