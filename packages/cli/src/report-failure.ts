import { CommanderError } from 'commander'
import { styleText } from 'node:util'
import { EXIT_CODES, type ExitCode, Failure } from './failure.ts'
import { jsonText, printable, terminalText } from './output/safe-text.ts'

/** Writes to stderr what went wrong: text for people, or with `json` one line for programs. */
export function reportFailure(error: unknown, json: boolean): ExitCode {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT_CODES.ok
  // Called without a subcommand: commander has printed the help.
  if (error instanceof CommanderError && error.code === 'commander.help') return EXIT_CODES.usage
  const failure = failureOf(error)
  process.stderr.write(`${json ? jsonText(documentOf(failure)) : terminalText(textOf(failure))}\n`)
  return failure.exitCode
}

function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '')
    return new Failure('usage', message, { hint: 'Add --help to see arguments and options.' })
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return new Failure('failed', `This is a bug in Hookline: ${stack}`, { code: 'defect' })
}

function documentOf({ code, message, hint, details, exitCode }: Failure): object {
  return { error: { code, message, hint: hint ?? null, errors: details, exitCode } }
}

function textOf({ message, hint, details }: Failure): string {
  return [
    `${styleText(['red', 'bold'], 'error:', { stream: process.stderr })} ${message}`,
    ...details.map((detail) =>
      printable(`  ${detail.pointer || '/'}: ${detail.message} ${detail.hint}`),
    ),
    ...(hint === undefined ? [] : [`  ${hint}`]),
  ].join('\n')
}
