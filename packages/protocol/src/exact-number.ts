const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Whether no other integer parses to this number. From 2^53 on, every number is an integer that others round to. */
export function isUnambiguous(number: number): boolean {
  return Math.abs(number) < 2 ** 53
}

/** Whether the JSON text of a number has the same value as the text that JavaScript writes for it. */
export function isExactNumber(text: string): boolean {
  const number = Number(text)
  return isUnambiguous(number) && decimalOf(text) === decimalOf(String(number))
}

/**
 * Whether JavaScript gives the JSON text of a number another value, and writes that: an integer beyond 2^53 that changes, and
 * a number that becomes 0 or infinite. Fractions, which nearly always change, do not count.
 */
export function isRounded(text: string): boolean {
  const number = Number(text)
  if (number !== 0 && isUnambiguous(number)) return false
  return decimalOf(text) !== decimalOf(String(number))
}

/** The value of a number as its digits without zeros at the ends, with an exponent. Zero has no sign. */
function decimalOf(text: string): string | undefined {
  const [, whole, fraction = '', exponent = '0'] = NUMBER.exec(text) ?? []
  if (whole === undefined) return undefined
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return '0'
  const significant = withoutZerosAtEnd(digits)
  const shift = Number(exponent) - fraction.length + digits.length - significant.length
  return `${text.startsWith('-') ? '-' : ''}${significant}e${shift}`
}

/** A loop, because a regular expression would take quadratic time for a hostile text. */
function withoutZerosAtEnd(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}
