import type { MarkdownRenderer } from 'vitepress'
import { linkedPage } from './pages.ts'

type Token = ReturnType<MarkdownRenderer['parse']>[number]

/**
 * Rewrites the relative links of pages, which work on a code host, for the site. A link to a file that is not on the
 * site, such as a source file, becomes text.
 */
export function followLinks(markdown: MarkdownRenderer, rootPages: (path: string) => string): void {
  markdown.core.ruler.after('inline', 'follow_links', (state) => {
    const { realPath, path } = state.env as { realPath?: string; path: string }
    const file = rootPages(realPath ?? path)
    for (const { children } of state.tokens) if (children !== null) followIn(children, file)
  })
}

function followIn(tokens: Token[], file: string): void {
  for (const [index, token] of tokens.entries()) {
    const href = token.type === 'link_open' ? String(token.attrGet('href')) : ''
    if (!isRelative(href)) continue
    const [path = '', anchor] = href.split('#')
    const page = linkedPage(file, path)
    if (page === undefined) removeLink(tokens, index)
    else token.attrSet('href', `/${page}${anchor === undefined ? '' : `#${anchor}`}`)
  }
}

function isRelative(href: string): boolean {
  return href !== '' && !/^(?:[a-z][a-z+.-]*:|[#/])/i.test(href)
}

function removeLink(tokens: Token[], start: number): void {
  const end = tokens.findIndex((token, index) => index > start && token.type === 'link_close')
  for (const token of [tokens[start], tokens[end]]) {
    if (token === undefined) continue
    Object.assign(token, { type: 'text', tag: '', nesting: 0, content: '', attrs: null })
  }
}
