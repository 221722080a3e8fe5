import type { Command } from 'commander'
import { EXIT_CODES, Failure } from './failure.ts'
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
    refuseReplaced(args)
    await program.parseAsync(args, { from: 'user' })
    return EXIT_CODES.ok
  } catch (error) {
    return reportFailure(error, { json: args.includes('--json'), command: command ?? program })
  }
}

/** Node replaces bytes of arguments that are not UTF-8 by U+FFFD: the id of one user would become that of another. */
function refuseReplaced(args: readonly string[]): void {
  const replaced = args.find((each) => each.includes('\ufffd'))
  if (replaced === undefined) return
  const hint =
    'Set the terminal to UTF-8. An id with U+FFFD itself can only be given in a file, or to the API.'
  throw new Failure('usage', `The argument ${JSON.stringify(replaced)} is not in UTF-8.`, { hint })
}
