import { InvalidArgumentError, Option } from 'commander'

/** `--limit`, how many items of a list to show. */
export function limitOption(): Option {
  return new Option('--limit <count>', 'at most so many, the newest').default(50).argParser(count)
}

function count(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new InvalidArgumentError('It must be a whole number from 1.')
}
