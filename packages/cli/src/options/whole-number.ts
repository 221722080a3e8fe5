import { InvalidArgumentError } from 'commander'

/** Returns a parser for whole numbers in an inclusive range. */
export function wholeNumber(min: number, max?: number): (text: string) => number {
  const range = max === undefined ? `${min} or more` : `from ${min} to ${max}`
  return (text) => {
    const value = Number(text)
    const isInRange = value >= min && value <= (max ?? Number.MAX_SAFE_INTEGER)
    if (/^\d+$/.test(text) && isInRange) return value
    throw new InvalidArgumentError(`It must be a whole number, ${range}.`)
  }
}
