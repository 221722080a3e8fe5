import type { Command } from 'commander'
import { Failure } from '../failure.ts'

/** @throws {Failure} `usage`, naming the options, if the change is empty */
export function requireChange(command: Command, change: object): void {
  if (Object.keys(change).length > 0) return
  const flags = command.options
    .filter(({ helpGroupHeading }) => helpGroupHeading === undefined)
    .flatMap(({ long }) => (long === '--json' || long === '--dry-run' ? [] : long))
  throw new Failure('usage', 'No changes given.', {
    hint: `Pass at least one of ${flags.join(', ')}.`,
  })
}
