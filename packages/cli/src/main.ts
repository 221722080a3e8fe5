import { type Command, CommanderError } from 'commander'
import { EXIT_CODES, type ExitCode, Failure } from './failure.ts'
import { createProgram } from './program.ts'
import { jsonText, printableText, terminalText } from './output/safe-text.ts'
import { styledText } from './layout/style.ts'

/** Resolves with the exit code; never rejects. */
export async function main(args: readonly string[]): Promise<number> {
  // A reader such as `head` may close the pipe early, which is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT_CODES.ok : EXIT_CODES.failed)
  })
  // An error on stderr cannot be reported anywhere.
  process.stderr.on('error', () => undefined)
  let command: Command | undefined
  const program = await createProgram({ args, onEnter: (entered) => (command = entered) })
  try {
    refuseInvalidUtf8(args)
    await program.parseAsync(args, { from: 'user' })
    return EXIT_CODES.ok
  } catch (error) {
    return reportFailure(error, { json: args.includes('--json'), command: command ?? program })
  }
}

/** Node replaces bytes that are not UTF-8 with U+FFFD, so an id could name another user. */
function refuseInvalidUtf8(args: readonly string[]): void {
  const replaced = args.find((each) => each.includes('\ufffd'))
  if (replaced === undefined) return
  const hint = 'Set the terminal to UTF-8. For an id that contains U+FFFD, use a file or the API.'
  throw new Failure('usage', `The argument ${JSON.stringify(replaced)} is not UTF-8.`, {
    hint,
  })
}

interface Invocation {
  readonly json: boolean
  readonly command: Command
}

/** Writes an error to stderr, as text or as one line of JSON. */
export function reportFailure(error: unknown, { json, command }: Invocation): ExitCode {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT_CODES.ok
  // Without a subcommand, commander has printed the help.
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
  return `\`${names.join(' ')} --help\` lists arguments and options.`
}

function documentOf({ code, message, hint, details, exitCode }: Failure) {
  return { error: { code, message, hint: hint ?? null, errors: details, exitCode } }
}

function textOf({ message, hint, details }: Failure): string {
  return [
    `${styledText(['red', 'bold'], 'error:', process.stderr)} ${message}`,
    ...details.map(({ pointer, message: reason, hint: remedy }) =>
      printableText(`  ${pointer === '' ? '' : `${pointer}: `}${reason} ${remedy}`.trimEnd()),
    ),
    ...(hint === undefined ? [] : [`  ${hint}`]),
  ].join('\n')
}
