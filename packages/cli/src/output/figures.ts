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
