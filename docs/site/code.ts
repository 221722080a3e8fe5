import type { MarkdownRenderer } from 'vitepress'

/** Renders the words after the language of a fence as its title: a file name, a separate terminal, an exit code. */
export function titleFences(markdown: MarkdownRenderer): void {
  const render = markdown.renderer.rules.fence!
  markdown.renderer.rules.fence = (...parts) => {
    const [tokens, index] = parts
    const token = tokens[index]!
    const [language = '', ...words] = token.info.trim().split(/\s+/)
    token.info = language
    const code = render(...parts)
    const title = titleOf(words)
    if (title === undefined) return code
    return `<div class="fence"><p class="fence-title">${markdown.utils.escapeHtml(title)}</p>${code}</div>`
  }
}

function titleOf(words: readonly string[]): string | undefined {
  const value = (name: string): string | undefined =>
    words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1)
  const file = value('file')
  if (file !== undefined) return file
  if (words.includes('background')) return 'In a separate terminal'
  const exit = value('exit')
  return exit === undefined ? undefined : `Exits with code ${exit}`
}

/** Renders braces in code unchanged: VitePress compiles pages with Vue, which would replace `{{…}}` with a value. */
export function keepBraces(markdown: MarkdownRenderer): void {
  const render = markdown.renderer.rules.code_inline!
  markdown.renderer.rules.code_inline = (...parts) => {
    const [tokens, index] = parts
    tokens[index]!.attrSet('v-pre', '')
    return render(...parts)
  }
}
