import { countText, durationText, formatCount } from '../output/figures.ts'

export interface Progress {
  readonly bytes: number
  readonly totalBytes: number
  readonly lines: number
  readonly rejected: number
}

const BAR_CHARACTERS = 24

export function progressText(now: Progress, start: Progress, elapsedMs: number): string {
  const part = now.totalBytes === 0 ? 1 : now.bytes / now.totalBytes
  const filled = Math.floor(part * BAR_CHARACTERS)
  const seconds = elapsedMs / 1000
  const rate = seconds > 0 ? (now.lines - start.lines) / seconds : 0
  const secondsLeft = ((now.totalBytes - now.bytes) * seconds) / (now.bytes - start.bytes)
  return [
    `[${'='.repeat(filled)}${' '.repeat(BAR_CHARACTERS - filled)}] ${String(Math.floor(part * 100)).padStart(3)}%`,
    countText(now.lines, 'line'),
    `${formatCount(Math.round(rate))}/s`,
    ...(Number.isFinite(secondsLeft) ? [`${durationText(secondsLeft)} left`] : []),
    ...(now.rejected > 0 ? [`${formatCount(now.rejected)} rejected`] : []),
  ].join('  ')
}
