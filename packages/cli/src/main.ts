import { EXIT_CODES } from './exit-codes.ts'
import { createProgram } from './program.ts'
import { reportFailure } from './report-failure.ts'

/** Runs the command that the arguments name. Resolves, never rejects, with the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  // Whoever reads the output may stop early, like `head`: that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT_CODES.ok : EXIT_CODES.failed)
  })
  const program = createProgram()
  try {
    await program.parseAsync(args, { from: 'user' })
    return EXIT_CODES.ok
  } catch (error) {
    return reportFailure(error, args.includes('--json'))
  }
}
