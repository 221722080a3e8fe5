import { expect, test } from 'vitest'
import { ENDPOINTS, ingestionUrl, isForIngestion } from '../../src/ingest/endpoints.ts'

const OWN = [...ENDPOINTS.map(({ path }) => path), '/v1/m', '/projects/wk_a/settings']

test.each([
  ...OWN,
  '/v1/projects/wk_a/settings',
  '/v1/b?writeKey=wk_a',
  '//v1/batch',
  '//v1//t?a=//b',
  '/v1/track/',
  '//v1/batch//',
  '/v1/track//?a=b',
  '//api/s/s2s/track/',
  '//projects/wk_a//settings/',
])('%s is an ingestion URL', (url) => {
  expect(isForIngestion(url)).toBe(true)
})

test.each([
  '/',
  '/v1',
  '/v1/webhook-payload.schema.json',
  '/api/v1/track',
  '//api/v1/track',
  '//metrics',
  '/livez',
  '//',
  '/projects/a/b/settings',
  '/projects//settings',
  '//livez//',
  '*',
  '',
])('%s is not an ingestion URL', (url) => {
  expect(isForIngestion(url)).toBe(false)
})

test.each([
  ['//v1/batch', '/v1/batch'],
  ['///v1//track?next=https://a//b', '/v1/track?next=https://a//b'],
  ['/v1/track//?next=//b', '/v1/track/?next=//b'],
  ['//projects/wk_a//settings/', '/projects/wk_a/settings/'],
  ['//api/v1/sources', '//api/v1/sources'],
])('%s is routed as %s', (url, routed) => {
  expect(ingestionUrl(url)).toBe(routed)
})
