/** The figures of a progress line. */
export interface Progress {
  readonly bytes: number
  readonly totalBytes: number
  readonly lines: number
  readonly rejected: number
}

const BAR_CHARACTERS = 24

/** One line: the progress of an import, its rate since `start`, and the time left. */
export function progressText(now: Progress, start: Progress, elapsedMs: number): string {
  const part = now.totalBytes === 0 ? 1 : now.bytes / now.totalBytes
  const filled = Math.floor(part * BAR_CHARACTERS)
  const seconds = elapsedMs / 1000
  const rate = seconds > 0 ? (now.lines - start.lines) / seconds : 0
  const secondsLeft = ((now.totalBytes - now.bytes) * seconds) / (now.bytes - start.bytes)
  return [
    `[${'='.repeat(filled)}${' '.repeat(BAR_CHARACTERS - filled)}] ${String(Math.floor(part * 100)).padStart(3)}%`,
    `${grouped(now.lines)} lines`,
    `${grouped(Math.round(rate))}/s`,
    ...(Number.isFinite(secondsLeft) ? [`${durationText(secondsLeft)} left`] : []),
    ...(now.rejected > 0 ? [`${grouped(now.rejected)} rejected`] : []),
  ].join('  ')
}

/** `4 s`, `3 min 20 s`, `2 h 5 min`. */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}

/** A number with grouped thousands: `12,020`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}
