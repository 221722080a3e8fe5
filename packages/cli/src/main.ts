import { type Command, CommanderError } from 'commander'
import { EXIT_CODES, type ExitCode, Failure } from './failure.ts'
import { createProgram } from './program.ts'
import { jsonText, printable, terminalText } from './output/safe-text.ts'
import { styled } from './layout/style.ts'

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

/** What the command line was, as far as it was understood. */
interface Invocation {
  readonly json: boolean
  /** The command that ran, or that refused its options. */
  readonly command: Command
}

/** Writes to stderr what went wrong: text for people, or with `json` one line for programs. */
export function reportFailure(error: unknown, { json, command }: Invocation): ExitCode {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT_CODES.ok
  // Called without a subcommand: commander has printed the help.
  if (error instanceof CommanderError && error.code === 'commander.help') return EXIT_CODES.usage
  const failure = failureOf(error, command)
  const text = json ? jsonText(documentOf(failure)) : terminalText(textOf(failure))
  process.stderr.write(`${text}\n`)
  return failure.exitCode
}

function failureOf(error: unknown, command: Command): Failure {
  if (error instanceof Failure) return error
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '')
    return new Failure('usage', message, { hint: helpHint(command) })
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return new Failure('failed', `This is a bug in Hookline: ${stack}`, { code: 'defect' })
}

function helpHint(command: Command): string {
  const names: string[] = []
  for (let each: Command | null = command; each !== null; each = each.parent) {
    names.unshift(each.name())
  }
  return `\`${names.join(' ')} --help\` shows arguments and options.`
}

function documentOf({ code, message, hint, details, exitCode }: Failure) {
  return { error: { code, message, hint: hint ?? null, errors: details, exitCode } }
}

function textOf({ message, hint, details }: Failure): string {
  return [
    `${styled(['red', 'bold'], 'error:', process.stderr)} ${message}`,
    ...details.map(({ pointer, message: fault, hint: remedy }) =>
      printable(`  ${pointer === '' ? '' : `${pointer}: `}${fault} ${remedy}`.trimEnd()),
    ),
    ...(hint === undefined ? [] : [`  ${hint}`]),
  ].join('\n')
}
