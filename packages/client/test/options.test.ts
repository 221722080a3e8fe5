import { Analytics } from '@hookline/client'
import { describe, expect, test } from 'vitest'
import type { ClientOptions } from '../src/client-options.ts'
import { resolveOptions } from '../src/options.ts'

describe('options', () => {
  test('have the documented defaults', () => {
    expect(resolveOptions({})).toEqual({
      endpoint: 'http://localhost:4800/v1/batch',
      flushAt: 20,
      flushAfter: 5_000,
      maxBatchBytes: 512_000,
      maxMessageBytes: 32_768,
      maxQueueBytes: 67_108_864,
      maxQueueMessages: 100_000,
      onFull: 'drop-newest',
      maxRetries: 10,
      timeoutMs: 10_000,
      gzip: true,
      enabled: true,
    })
  })

  test.for([
    ['https://events.example.com', 'https://events.example.com/v1/batch'],
    ['https://example.com/a/?k=v#x', 'https://example.com/a/v1/batch?k=v'],
  ] as const)('with the endpoint %s contain the URL %s', ([endpoint, url]) => {
    expect(resolveOptions({ endpoint }).endpoint).toBe(url)
  })

  test('with the value undefined have their defaults', () => {
    expect(
      resolveOptions({ flushAt: undefined, gzip: undefined, endpoint: undefined }),
    ).toMatchObject({ flushAt: 20, gzip: true, endpoint: 'http://localhost:4800/v1/batch' })
  })

  test.for<ClientOptions>([
    { flushAt: 0 },
    { flushAt: 2501 },
    { flushAfter: 0 },
    { flushAfter: Number.NaN },
    { maxBatchBytes: 10 },
    { maxMessageBytes: 512_000 },
    { maxQueueBytes: 100 },
    { maxQueueMessages: 0 },
    { maxRetries: -1 },
    { timeoutMs: 0 },
    { onFull: 'block' as never },
    { endpoint: 'events.example.com' },
    { endpoint: 'ftp://example.com' },
    { endpoint: 'https://user:secret@example.com' },
    { headers: { 'bad name': 'x' } },
  ])('that are invalid throw immediately: %o', (options) => {
    expect(() => new Analytics('wk_test', options)).toThrow()
  })

  const unset = undefined as unknown as string
  test.for(['', 'has space', 'schlüssel', unset])(
    'with the write key %j throw immediately',
    (writeKey) => {
      expect(() => new Analytics(writeKey)).toThrow(
        expect.objectContaining({ code: 'unknown_write_key' }),
      )
    },
  )
})
