import type { Command } from 'commander'
import { EXIT_CODES } from './failure.ts'
import { createProgram } from './program.ts'
import { reportFailure } from './report-failure.ts'

/** Runs the command that the arguments name. Resolves with the exit code; never rejects. */
export async function main(args: readonly string[]): Promise<number> {
  // A reader such as `head` may close the pipe early: that is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT_CODES.ok : EXIT_CODES.failed)
  })
  // What stderr does not take cannot be reported anywhere.
  process.stderr.on('error', () => undefined)
  let command: Command | undefined
  const program = createProgram((entered) => (command = entered))
  try {
    await program.parseAsync(args, { from: 'user' })
    return EXIT_CODES.ok
  } catch (error) {
    return reportFailure(error, { json: args.includes('--json'), command: command ?? program })
  }
}
