import { expect, test } from 'vitest'
import type { Destination } from '@hookline/cli/management-client'
import {
  answersIn,
  answersSentence,
  draftOf,
  faultOf,
  PRESETS,
} from '../../src/pages/inspector/answers.ts'
import { destinationsTo } from '../../src/pages/inspector/requests.ts'

test('the answers are told in a sentence, and a delay beyond the deadline with its effect', () => {
  expect(PRESETS.map(([, answers]) => answersSentence(answers))).toEqual([
    'It responds 200 to every request, at once.',
    'It responds 503 to the first 2 attempts of each delivery, then 200, at once.',
    'It responds 200 to every request, after 6 s. By default, an attempt has 5 s: it times out, and is repeated.',
  ])
  expect(answersSentence({ status: 500, delayMs: 250, failFirst: 1 })).toBe(
    'It responds 500 to the first 1 attempt of each delivery, then 200, after 250 ms.',
  )
})

test('a draft begins with what is set, and becomes the same again', () => {
  for (const [, answers] of PRESETS) expect(answersIn(draftOf(answers))).toEqual(answers)
})

test('what is no number in its range is told at its field, and is not sent', () => {
  const draft = { status: '199', delayMs: '10001', failFirst: '0' }
  expect(faultOf('status', draft)).toBe('Write a whole number from 200 to 599.')
  expect(faultOf('delayMs', draft)).toBe('Write a whole number from 0 to 10000.')
  expect(faultOf('failFirst', draft)).toBe(
    'Write a whole number from 1 to 1000, or leave it empty for all attempts.',
  )
  expect(answersIn(draft)).toBeUndefined()
  expect(answersIn({ status: '2e2', delayMs: '0', failFirst: '' })).toBeUndefined()
})

test('a destination leads to the inspector by any path, and by no other scheme, host or port', () => {
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
