import { expect, test } from 'vitest'
import type { Destination } from '@hookline/cli/management-client'
import { PRESETS, responsesSentence } from '../../src/pages/inspector/responses.ts'
import { destinationsTo } from '../../src/pages/inspector/requests.ts'

test('a sentence describes the response, and the effect of a delay beyond the timeout', () => {
  expect(PRESETS.map(([, responses]) => responsesSentence(responses))).toEqual([
    'Responds immediately: with 200 to every request.',
    'Responds immediately: with 503 to the first 2 attempts of each delivery, then with 200.',
    'Responds after 6 s: with 200 to every request. By default, attempts time out after 5 s and are retried.',
  ])
  expect(responsesSentence({ status: 500, delayMs: 250, failFirst: 1 })).toBe(
    'Responds after 250 ms: with 500 to the first attempt of each delivery, then with 200.',
  )
})

test('the inspector is recognised by scheme, host and port, at any path', () => {
  const urls = [
    'http://inspector.internal/',
    'http://inspector.internal/shop?a=1',
    'https://inspector.internal/',
    'http://inspector.internal:8080/',
    'http://inspector.internal.example/',
    'no URL',
  ]
  const destinations = urls.map((url) => ({ settings: { webhooks: [{ url }] } }) as Destination)
  expect(destinationsTo('http://inspector.internal/', destinations)).toEqual(
    destinations.slice(0, 2),
  )
})
