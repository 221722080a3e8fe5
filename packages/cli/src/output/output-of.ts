import type { Command } from 'commander'
import { Output } from './output.ts'

/** The output in the form that `--json`, before or after the command's name, asks for. */
export function outputOf(command: Command): Output {
  return new Output(command.optsWithGlobals<{ json?: boolean }>())
}
