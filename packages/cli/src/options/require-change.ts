import type { Command } from 'commander'
import { Failure } from '../failure.ts'

/** Refuses a change that would change nothing. Names the options that say what to change. @throws {Failure} `usage` */
export function requireChange(command: Command, change: object): void {
  if (Object.keys(change).length > 0) return
  const flags = command.options
    .filter(({ helpGroupHeading }) => helpGroupHeading === undefined)
    .flatMap(({ long }) => (long === '--json' || long === '--dry-run' ? [] : long))
  throw new Failure('usage', 'Nothing to change was given.', {
    hint: `Give at least one of ${flags.join(', ')}.`,
  })
}
