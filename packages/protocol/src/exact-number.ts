import { isUnsafeInteger } from './json.ts'

/** Finds a number in JSON with 16 characters or more, or with an exponent. JavaScript preserves the value of all others. */
export const MAY_BE_INEXACT = /[:,[\s]-?(?:[\d.]{16}|[\d.]+[eE])/

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/**
 * Whether a number in JSON certainly keeps its value when JavaScript parses and serialises it. False for every integer from 2^53
 * on, even one that JavaScript can represent: other integers are rounded to it.
 */
export function isExactNumber(text: string): boolean {
  const number = Number(text)
  return !isUnsafeInteger(number) && decimalOf(text) === decimalOf(String(number))
}

/**
 * Whether JavaScript changes the value of a number in JSON when it parses and serialises it: an integer beyond 2^53 that is
 * rounded, or a number that becomes 0 or infinite. Fractions, which are nearly always rounded, do not count.
 */
export function isRounded(text: string): boolean {
  const number = Number(text)
  if (number !== 0 && !isUnsafeInteger(number)) return false
  return decimalOf(text) !== decimalOf(String(number))
}

/** The digits of a number without leading and trailing zeros, with an exponent. Zero has no sign. */
function decimalOf(text: string): string | undefined {
  const [, whole, fraction = '', exponent = '0'] = NUMBER.exec(text) ?? []
  if (whole === undefined) return undefined
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return '0'
  const significant = withoutZerosAtEnd(digits)
  const shift = Number(exponent) - fraction.length + digits.length - significant.length
  return `${text.startsWith('-') ? '-' : ''}${significant}e${shift}`
}

/** A loop, because a regular expression would take quadratic time on hostile input. */
function withoutZerosAtEnd(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}
