export interface Fence {
  readonly line: number
  /** The number of section headings above it. */
  readonly section: number
  readonly language: string
  /** The words after the language: `background`, `not-run`, `exit=8`, `file=receiver.mjs`. */
  readonly words: readonly string[]
  readonly text: string
}

/** The code blocks of a Markdown page, in order. Code blocks in a list have the indentation of the list. */
export function fencesIn(page: string): Fence[] {
  return [...page.matchAll(/^( *)```(\S+)([^\n]*)\n([^]*?)^\1```$/gm)].map(
    ({ index, 1: indent = '', 2: language = '', 3: words = '', 4: text = '' }) => ({
      line: page.slice(0, index).split('\n').length + 1,
      section: page.slice(0, index).match(/^##/gm)?.length ?? 0,
      language,
      words: words.split(' ').filter((word) => word !== ''),
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  )
}

/** The texts of the code blocks in this language that have no other words, in order. */
export function textsOf(page: string, language: string): string[] {
  return fencesIn(page)
    .filter((fence) => fence.language === language && fence.words.length === 0)
    .map(({ text }) => text.replace(/\n$/, ''))
}

/** The value of a word such as `file=receiver.mjs`. */
export function valueOf({ words }: Fence, name: string): string | undefined {
  return words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1)
}
