import { duration, shortNumber } from '../../format/figures.ts'

/** How a count compares with that of the period before, in words: `12 % more than before`. */
export function changeInWords(now: number, before: number): string {
  if (before === 0) return now === 0 ? 'as before' : 'none before'
  const percent = Math.round(((now - before) / before) * 100)
  if (percent === 0) return 'as before'
  return `${shortNumber(Math.abs(percent))} % ${percent > 0 ? 'more' : 'less'} than before`
}

/** The same for a count that is measured again and again: `3.5 on average, 12 % more than before`. */
export function meanChangeInWords(now: number | null, before: number | null): string {
  if (now === null || before === null) return 'nothing to compare with'
  return `${shortNumber(now)} on average, ${changeInWords(now, before)}`
}

/** The same for a share in percent: `0.4 points less than before`. */
export function shareChangeInWords(now: number | null, before: number | null): string {
  if (now === null || before === null) return 'nothing to compare with'
  const points = Math.round((now - before) * 1_000) / 10
  if (points === 0) return 'as before'
  return `${Math.abs(points)} points ${points > 0 ? 'more' : 'less'} than before`
}

/** The same for a duration: `120 ms faster than before`. */
export function durationChangeInWords(now: number | null, before: number | null): string {
  if (now === null || before === null) return 'nothing to compare with'
  const apart = Math.round(now - before)
  if (apart === 0) return 'as before'
  return `${duration(Math.abs(apart))} ${apart > 0 ? 'slower' : 'faster'} than before`
}
