/** What a progress bar is made of. */
export interface Progress {
  readonly bytes: number
  readonly totalBytes: number
  readonly lines: number
  readonly rejected: number
}

const BAR = 24

/** One line: how far an import has come since `start`, how fast it is, and when it will be done. */
export function progressText(now: Progress, start: Progress, elapsedMs: number): string {
  const part = now.totalBytes === 0 ? 1 : now.bytes / now.totalBytes
  const filled = Math.floor(part * BAR)
  const seconds = elapsedMs / 1000
  const rate = seconds > 0 ? (now.lines - start.lines) / seconds : 0
  const secondsLeft = ((now.totalBytes - now.bytes) * seconds) / (now.bytes - start.bytes)
  return [
    `[${'='.repeat(filled)}${' '.repeat(BAR - filled)}] ${String(Math.floor(part * 100)).padStart(3)}%`,
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

/** A number for people, its thousands grouped. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}
