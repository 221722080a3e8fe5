import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { addressOf } from '../../src/domain/snippets/address.ts'
import { snippetsFor } from '../../src/domain/snippets/snippets.ts'
import { scriptText, shellText } from '../../src/domain/snippets/quoted.ts'

const HOSTILE = `wk'"$(id)\`\\\n;`

test('the address of a service is a URL without a user, a query or shell metacharacters', () => {
  expect(addressOf(' https://events.example.com/ ')).toBe('https://events.example.com')
  expect(addressOf('http://[::1]:4800/hookline//')).toBe('http://[::1]:4800/hookline')
  for (const wrong of [
    '',
    'events.example.com',
    'ftp://events.example.com',
    'https://u:p@events.example.com',
    'https://events.example.com/?a=b',
    "https://events.example.com/'",
    'https://events.example.com/$(id)',
    'javascript:alert(1)',
  ])
    expect([wrong, addressOf(wrong)]).toEqual([wrong, undefined])
})

test('each snippet contains the write key and the address', () => {
  const target = { address: 'https://events.example.com', writeKey: 'wk_1' }
  for (const { id, code } of snippetsFor(target)) {
    expect([id, code]).toEqual([id, expect.stringContaining('https://events.example.com')])
    expect([id, code]).toEqual([id, expect.stringContaining('wk_1')])
  }
})

test('a write key with any characters remains one string', () => {
  expect(shellText('wk_1:')).toBe('wk_1:')
  expect(shellText("a'b c")).toBe(String.raw`'a'\''b c'`)
  expect(runInNewContext(scriptText(HOSTILE))).toBe(HOSTILE)
})

test('for a service below a path, the snippets for Segment libraries include the path, which the libraries would otherwise omit', () => {
  const codes = new Map(
    snippetsFor({ address: 'https://example.com/hookline', writeKey: 'wk_1' }).map((each) => [
      each.id,
      each.code,
    ]),
  )
  expect(codes.get('segment')).toContain("path: '/hookline/v1/batch'")
  expect(codes.get('browser')).toContain("apiHost: 'example.com/hookline/v1', protocol: 'https'")
  expect(codes.get('client')).toContain("endpoint: 'https://example.com/hookline'")
})
