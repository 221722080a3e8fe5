import { readFileSync } from 'node:fs'

const PAGE = readFileSync(new URL('../../docs/guides/receivers.md', import.meta.url), 'utf8')

/** A receiver of docs/guides/receivers.md. */
export interface Program {
  readonly file: string
  /** The command on the page that runs it. */
  readonly command: string
  /** The interpreter or compiler, which may not be installed. */
  readonly language: string
}

/** The receivers in the table of the page. */
export const PROGRAMS: readonly Program[] = [
  ...PAGE.matchAll(
    /^\|[^|]*\| `(receiver[\w.-]*)` +\| `(HOOKLINE_SECRET="[^"]*" (\S+) [^`]*)` +\|$/gm,
  ),
].map(([, file, command, language]) => ({ file: file!, command: command!, language: language! }))

/** The files to save on the page, by name. */
export const FILES: ReadonlyMap<string, string> = new Map(
  [...PAGE.matchAll(/^```\w+ file=(\S+)\n([^]*?)^```$/gm)].map(([, name, content]) => [
    name!,
    content!,
  ]),
)
