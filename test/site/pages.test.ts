import { describe, expect, test } from 'vitest'
import { PAGES_OUTSIDE, sitePathOf } from '../../docs/site/pages.ts'
import { markdownPages } from '@hookline/testing/repository'
import { builtFiles, isBuilt, readBuilt } from './built-site.ts'

const PAGES = builtFiles('html')

function attributes(html: string, name: string): string[] {
  return [...html.matchAll(new RegExp(`<[a-z][^>]* ${name}="([^"]*)"`, 'g'))].map(
    ([, value]) => value!,
  )
}

test('the site contains each page of docs, and the root pages', () => {
  const files = [...markdownPages().filter((path) => path.startsWith('docs/')), ...PAGES_OUTSIDE]
  const expected = files.map((file) => sitePathOf(file)!.replace(/\.md$/, '.html'))
  expect(PAGES.toSorted()).toEqual([...expected, '404.html'].toSorted())
})

describe.for(PAGES)('the page %s', (page) => {
  const html = readBuilt(page)

  test('links only to pages, headings and files that exist', () => {
    const own = attributes(html, 'href').filter((href) => href.startsWith('/docs'))
    expect(own.filter((href) => !isBuilt(href))).toEqual([])
    const headings = own.filter((href) => href.includes('#')).filter((href) => !hasHeading(href))
    expect(headings).toEqual([])
  })

  test('loads nothing from other hosts, and has no inline scripts', () => {
    const loaded = [
      ...attributes(html, 'src'),
      ...[...html.matchAll(/<link[^>]*>/g)].flatMap(([link]) => attributes(link, 'href')),
    ]
    expect(loaded.filter((address) => !address.startsWith('/docs/'))).toEqual([])
    expect(html.match(/<script(?![^>]* src=)/g)).toBeNull()
  })
})

function hasHeading(address: string): boolean {
  const [path = '', anchor = ''] = address.replace(/^\/docs\/?/, '').split('#')
  const file = path === '' || path.endsWith('/') ? `${path}index.html` : `${path}.html`
  return attributes(readBuilt(file), 'id').includes(decodeURIComponent(anchor))
}

test('a code block shows the file name to save it as, or the terminal to use', () => {
  const html = readBuilt('tutorials/first-delivery.html')
  expect(html).toContain('<p class="fence-title">shop.mjs</p>')
  expect(html).toContain('<p class="fence-title">In a separate terminal</p>')
})

test('braces in code are shown as they are', () => {
  expect(readBuilt('guides/filter-and-transform-events.html')).toContain('>{{userId}}</code>')
})

test('the search index contains the words of the pages', () => {
  const [file] = builtFiles('js').filter((path) => path.includes('localSearchIndex'))
  const index = readBuilt(file!)
  const expected = ['["statistics"', '["breaker"', 'guides/find-a-failing-webhook#']
  expect(expected.filter((text) => !index.includes(text))).toEqual([])
})

test('no style loads fonts or images from other hosts', () => {
  const styles = builtFiles('css').map(readBuilt).join('\n')
  const urls = [...styles.matchAll(/url\(["']?([^"')]+)/g)].map(([, url]) => url!)
  expect(urls.filter((url) => !url.startsWith('data:'))).toEqual([])
  expect(styles).not.toContain('@import')
})
