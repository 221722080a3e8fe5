import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { linkedPage, PAGES_OUTSIDE, sitePathOf } from '../../docs/site/pages.ts'
import { moveScripts } from '../../docs/site/script-files.ts'
import { sections } from '../../docs/site/sections.ts'
import { sidebar } from '../../docs/site/sidebar.ts'
import { markdownPages } from '@hookline/testing/repository'

const PAGES = [...markdownPages().filter((path) => path.startsWith('docs/')), ...PAGES_OUTSIDE]

test('every page is in a section of the documentation, once', () => {
  const listed = sections().flatMap(({ files }) => files)
  const start = ['docs/README.md', 'README.md']
  expect([...listed, ...start].toSorted()).toEqual(PAGES.toSorted())
})

test('the sidebar has a title and an address for every page', () => {
  const items = sidebar().flatMap((group) => group.items)
  expect(items).toHaveLength(PAGES.length)
  expect(items).toContainEqual({ text: 'Settings', link: '/reference/config' })
  expect(items).toContainEqual({ text: 'Documentation', link: '/' })
  expect(items.filter(({ text }) => text === '')).toEqual([])
})

test('named pages come first, and the others follow by name', () => {
  const reference = sections().find(({ title }) => title === 'Reference')!
  expect(reference.files[0]).toBe('docs/reference/config.md')
  expect(reference.files.indexOf('docs/reference/errors.md')).toBeLessThan(
    reference.files.indexOf('docs/reference/clients.md'),
  )
})

test('a link leads to a page of the site, or is removed if the site does not have the file', () => {
  const page = 'docs/guides/audiences.md'
  expect(linkedPage(page, '../reference/config.md')).toBe('reference/config.md')
  expect(linkedPage(page, '../../README.md')).toBe('overview.md')
  expect(linkedPage(page, '../README.md')).toBe('index.md')
  expect(linkedPage('README.md', 'docs/decisions')).toBe('decisions/index.md')
  expect(linkedPage('ARCHITECTURE.md', 'packages/server/src/service.ts')).toBeUndefined()
  expect(linkedPage('README.md', 'LICENSE')).toBeUndefined()
  expect(sitePathOf('packages/server/src/service.ts')).toBeUndefined()
})

test('inline scripts are moved into files, so that the content security policy needs no exception', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-site-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const html =
    '<script id="a">run("<b>")</script><script src="/x.js"></script><script>two()</script>'
  const moved = moveScripts(html, folder, '/docs/')
  const [first, , last] = [...moved.matchAll(/src="([^"]+)"/g)].map(([, source]) => source!)
  expect(moved).toBe(
    `<script id="a" src="${first}"></script><script src="/x.js"></script><script src="${last}"></script>`,
  )
  expect(readFileSync(join(folder, first!.replace('/docs/', '')), 'utf8')).toBe('run("<b>")')
})
