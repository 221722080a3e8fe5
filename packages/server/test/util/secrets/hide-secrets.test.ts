import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hideSecrets } from '../../../src/util/secrets/hide-secrets.ts'

const SECRET = 'pass/"wörd" +&<=\'😀'
const html = (text: string, encode: (code: number) => string) =>
  text.replaceAll(/\W/gu, (each) => encode(each.codePointAt(0)!))
const escaped = (text: string) =>
  text.replaceAll(/[^\w ]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

describe('a secret is hidden', () => {
  test.each([
    ['as it is', SECRET],
    ['in JSON', JSON.stringify(SECRET)],
    ['in the JSON of PHP', JSON.stringify(SECRET).replaceAll('/', String.raw`\/`)],
    ['in JSON with escapes', `"${escaped(SECRET)}"`],
    ['in a URL', encodeURIComponent(SECRET)],
    ['in a URL, in lower case', encodeURIComponent(SECRET).toLowerCase()],
    ['in a form', new URLSearchParams([['', SECRET]]).toString()],
    ['in HTML, with hexadecimal references', html(SECRET, (code) => `&#x${code.toString(16)};`)],
    ['in HTML, with decimal references', html(SECRET, (code) => `&#${code};`)],
    ['in JSON in JSON', JSON.stringify(JSON.stringify(SECRET))],
    ['in HTML in a URL', encodeURIComponent(html(SECRET, (code) => `&#${code};`))],
    ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
  ])('%s', (_, encoded) => {
    const text = `got ${encoded} from you`
    const shown = hideSecrets(text, [SECRET])
    expect(shown).not.toMatch(/pass|70617373|rd/)
    expect(shown).toMatch(/^got [="\\]*\*+[\\"]* from you$/)
    expect(Buffer.byteLength(shown)).toBe(Buffer.byteLength(text))
  })

  test.each([
    ['whsec_c2VjcmV0K3NlY3JldD8=', 'c2VjcmV0K3NlY3JldD8'],
    ['dXNlcjpwYXNz+w/==', 'dXNlcjpwYXNz-w_'],
    ['c2VjcmV0K3NlY3JldD8=', 'c2VjcmV0K3NlY3JldD8&#x3D;'],
    ['100%41 secret', '100%41 secret'],
  ])('%s, repeated as %s', (secret, repeated) => {
    expect(hideSecrets(`"${repeated}"`, [secret])).toMatch(/^"\*+(?:&#x3D;)?"$/)
  })
})

test('any other text is left unchanged', () => {
  const text = fc.stringMatching(/^[%&#x;\\u0-9a-dé"/]{0,200}$/)
  fc.assert(
    fc.property(text, (each) => {
      expect(hideSecrets(each, ['secret', 'token'])).toBe(each)
    }),
  )
  expect(hideSecrets('&#9999999;&#xffffff;%zz\\ud83d', ['secret'])).toBe(
    '&#9999999;&#xffffff;%zz\\ud83d',
  )
  expect(hideSecrets('a short one', ['one', ''])).toBe('a short one')
})
