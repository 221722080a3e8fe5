import type { Command } from 'commander'
import { wholeNumber } from './whole-number.ts'

/** How many items of a long list are shown. */
const LIMIT = 50

/** Gives the command of a short list the options for a part of it. By default it shows all. */
export function withListOptions(command: Command): Command {
  return command
    .option('--limit <count>', 'show at most this many; the default is all', wholeNumber(1))
    .option('--cursor <cursor>', CURSOR_HELP)
}

/** The same for a list that may be very long. */
export function withLongListOptions(command: Command): Command {
  return command
    .option('--limit <count>', 'show at most this many', wholeNumber(1), LIMIT)
    .option('--cursor <cursor>', CURSOR_HELP)
}

const CURSOR_HELP = 'continue where a list ended; it printed the cursor'
