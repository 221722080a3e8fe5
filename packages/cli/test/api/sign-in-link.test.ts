import { expect, test } from 'vitest'
import { linkAt } from '../../src/api/sign-in-link.ts'

test.each([
  ['https://hooks.example.com', 'https://hooks.example.com/console/sign-in#code'],
  ['https://example.com/hooks', 'https://example.com/hooks/console/sign-in#code'],
  ['https://example.com/hooks/', 'https://example.com/hooks/console/sign-in#code'],
])('the link for a service at %s is %s', (base, url) => {
  expect(linkAt(new URL(base), '/console/sign-in#code')).toBe(url)
})
