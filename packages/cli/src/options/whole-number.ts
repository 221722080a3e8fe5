import { InvalidArgumentError } from 'commander'

/** A parser for options that are a whole number in a range, both ends included. */
export function wholeNumber(least: number, most?: number): (text: string) => number {
  const range = most === undefined ? `${least} or more` : `from ${least} to ${most}`
  return (text) => {
    const value = Number(text)
    const isInRange = value >= least && value <= (most ?? Number.MAX_SAFE_INTEGER)
    if (/^\d+$/.test(text) && isInRange) return value
    throw new InvalidArgumentError(`It must be a whole number, ${range}.`)
  }
}
