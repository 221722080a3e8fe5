import { type Command, CommanderError } from 'commander'
import { EXIT_CODES, type ExitCode, Failure } from './failure.ts'
import { jsonText, printable, terminalText } from './output/safe-text.ts'
import { styled } from './layout/style.ts'

/** What the command line was, as far as it was understood. */
export interface Invocation {
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
