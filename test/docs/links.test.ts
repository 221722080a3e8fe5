import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { markdownPages, readRepositoryFile, REPOSITORY } from '@hookline/testing/repository'

/** The relative links in a page whose targets do not exist. */
function deadLinks(page: string, text: string): string[] {
  return linksIn(text).filter((link) => {
    const [path = '', anchor] = link.split('#')
    const target = join(dirname(page), decodeURIComponent(path))
    if (path !== '' && !existsSync(join(REPOSITORY, target))) return true
    if (anchor === undefined || (path !== '' && !path.endsWith('.md'))) return false
    return !anchorsOf(path === '' ? text : readRepositoryFile(target)).includes(anchor)
  })
}

describe('the links between pages', () => {
  it.for(markdownPages())('have targets that exist: %s', (page) => {
    expect(deadLinks(page, readRepositoryFile(page))).toEqual([])
  })

  it('are reported if the page or the heading does not exist', () => {
    const text = `[a](missing.md) [b](config.md#no-such-heading) ![c](missing.png)
[d](config.md#settings) [e](../../LICENSE) [f](https://example.com/missing.md) [g](#own)
[h]: decisions/missing.md

## Own

    [in code](missing.md)`
    expect(deadLinks('docs/reference/planted.md', text)).toEqual([
      'missing.md',
      'config.md#no-such-heading',
      'missing.png',
      'decisions/missing.md',
    ])
  })
})

function linksIn(text: string): string[] {
  const prose = text.replaceAll(/^(?:```|~~~)[^]*?^(?:```|~~~)|^ {4}.*$|`[^`\n]*`/gm, '')
  const inline = [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)]
  const references = [...prose.matchAll(/^\[[^\]]+\]:\s*<?([^\s>]+)/gm)]
  return [...inline, ...references]
    .map(([, link]) => link!)
    .filter((link) => !/^[a-z][a-z+.-]*:/i.test(link))
}

/** The anchors of a page's headings, as code hosts generate them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#{1,6}\s+(.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  )
}
