import { expect, test } from 'vitest'
import { ENDPOINTS, isForIngestion } from '../../src/ingest/endpoints.ts'

const OWN = [...ENDPOINTS.map(({ path }) => path), '/v1/m', '/projects/wk_a/settings']

test.each([...OWN, '/v1/projects/wk_a/settings', '/v1/b?writeKey=wk_a'])(
  '%s is for ingestion',
  (url) => {
    expect(isForIngestion(url)).toBe(true)
  },
)

test.each([
  '/',
  '/v1',
  '/v1/docs',
  '/v1/openapi.json',
  '/api/v1/track',
  '/livez',
  '/projects/a/b/settings',
  '*',
  '',
])('%s is for the main thread', (url) => {
  expect(isForIngestion(url)).toBe(false)
})
