import { markdownPages, readRepositoryFile } from '@hookline/testing/repository'

const PAGES = markdownPages()
  .filter((path) => path.startsWith('docs/receivers/'))
  .map(readRepositoryFile)
  .join('\n')

/** A receiver of docs/receivers. */
export interface Program {
  readonly file: string
  /** The command on its page that runs it. */
  readonly command: string
  /** The interpreter or compiler, which may not be installed. */
  readonly language: string
}

/** The receivers in the tables of the pages. */
export const PROGRAMS: readonly Program[] = [
  ...PAGES.matchAll(/^\| `(receiver[\w.-]*)` \| `(HOOKLINE_SECRET="[^"]*" (\S+) [^`]*)` \|$/gm),
].map(([, file, command, language]) => ({ file: file!, command: command!, language: language! }))

/** The files to save on the pages, by name. */
export const FILES: ReadonlyMap<string, string> = new Map(
  [...PAGES.matchAll(/^```\w+ file=(\S+)\n([^]*?)^```$/gm)].map(([, name, content]) => [
    name!,
    content!,
  ]),
)
