import { expect, test } from 'vitest'
import { hideSecrets } from '../../../src/util/secrets/hide-secrets.ts'

test.each([
  ['as it is', 'pass/"word"', 'got pass/"word"'],
  ['in JSON', 'pass/"word"', String.raw`{"auth":"pass/\"word\""}`],
  ['in the JSON of PHP', 'aG9v/cGFz', String.raw`{"auth":"Basic aG9v\/cGFz"}`],
])('a secret is hidden %s', (_, secret, text) => {
  const shown = hideSecrets(text, [secret])
  expect(shown).toMatch(/\*{9,}/)
  expect(shown).not.toMatch(/word|cGFz/)
})
