import { readFileSync } from 'node:fs'

const PAGE = readFileSync(new URL('../../docs/guides/receivers.md', import.meta.url), 'utf8')

/** A receiver of docs/guides/receivers.md. */
export interface Program {
  readonly file: string
  /** The command that runs it, as the page has it. */
  readonly command: string
  /** The program that runs it, which may not be installed. */
  readonly language: string
}

/** The receivers that the table of the page lists. */
export const PROGRAMS: readonly Program[] = [
  ...PAGE.matchAll(
    /^\|[^|]*\| `(receiver[\w.-]*)` +\| `(HOOKLINE_SECRET="[^"]*" (\S+) [^`]*)` +\|$/gm,
  ),
].map(([, file, command, language]) => ({ file: file!, command: command!, language: language! }))

/** The files that the page tells its reader to save, with their content. */
export const FILES: ReadonlyMap<string, string> = new Map(
  [...PAGE.matchAll(/^```\w+ file=(\S+)\n([^]*?)^```$/gm)].map(([, name, content]) => [
    name!,
    content!,
  ]),
)
