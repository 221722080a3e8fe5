import type { Command } from 'commander'
import { createInterface } from 'node:readline'
import { Failure } from '../failure.ts'
import { terminalText } from '../output/safe-text.ts'

interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

const PROCESS: Terminal = { input: process.stdin, output: process.stderr }

/**
 * Asks for confirmation unless `--yes` is given. `effect` describes the loss in complete sentences.
 * @throws {Failure} `usage` without a terminal; `failed` if the answer is not yes; `interrupted` for Ctrl-C
 */
export async function confirm(
  command: Command,
  effect: () => Promise<string> | string,
  terminal: Terminal = PROCESS,
): Promise<void> {
  if (command.opts<{ yes?: true }>().yes) return
  const text = await effect()
  const { input, output } = terminal
  if (!input.isTTY || !output.isTTY) {
    throw new Failure('usage', `Not confirmed, so nothing was changed. ${text}`, {
      code: 'not_confirmed',
      hint: 'Without a terminal, add --yes to confirm.',
    })
  }
  output.write(`${terminalText(text)}\n`)
  if (/^y(?:es)?$/i.test((await answerOn(terminal, 'Continue? [y/N] ')).trim())) return
  throw new Failure('failed', 'Nothing was changed.', { code: 'not_confirmed' })
}

/** Reads a line; empty at the end of input. @throws {Failure} `interrupted` for Ctrl-C */
async function answerOn(terminal: Terminal, question: string): Promise<string> {
  const lines = createInterface({ ...terminal, prompt: question, terminal: true })
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  lines.once('SIGINT', () => reject(new Failure('interrupted', 'Nothing was changed.')))
  lines.once('line', resolve)
  lines.once('close', () => resolve(''))
  lines.prompt()
  try {
    return await promise
  } finally {
    lines.close()
  }
}
