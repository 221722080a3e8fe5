import { type Command, CommanderError } from 'commander'
import { EXIT_CODES, type ExitCode, Failure, type FailureDetail } from './failure.ts'
import { jsonText, printable, terminalText } from './output/safe-text.ts'
import { styled } from './layout/style.ts'
import { faultWords } from './problems/fault-words.ts'
import { placeIn } from './problems/place.ts'

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
  const faults = failure.details.map((detail) => toldFault(detail, command))
  const text = json ? jsonText(documentOf(failure, faults)) : terminalText(textOf(failure, faults))
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

/** A fault with its place in the words of the user: the flag, the argument, or the line of the file. */
interface ToldFault extends FailureDetail {
  readonly place: string
}

function toldFault(detail: FailureDetail, command: Command): ToldFault {
  const { pointer, code } = detail
  return { pointer, code, place: placeIn(command, pointer), ...faultWords(detail) }
}

function documentOf({ code, message, hint, exitCode }: Failure, errors: readonly ToldFault[]) {
  return { error: { code, message, hint: hint ?? null, errors, exitCode } }
}

function textOf({ message, hint }: Failure, faults: readonly ToldFault[]): string {
  return [
    `${styled(['red', 'bold'], 'error:', process.stderr)} ${message}`,
    ...faults.map(({ place, message: what, hint: remedy }) =>
      printable(`  ${place === '' ? '' : `${place}: `}${what} ${remedy}`.trimEnd()),
    ),
    ...(hint === undefined ? [] : [`  ${hint}`]),
  ].join('\n')
}
