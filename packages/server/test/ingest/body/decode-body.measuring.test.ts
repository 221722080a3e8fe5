import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { decodeBody } from '../../../src/ingest/request-body.ts'

const zeros = Buffer.alloc(64 * 1024 * 1024)

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)(
  'decompressing a body beyond the limit with %s takes little memory',
  (encoding, compress) => {
    const bomb = compress(zeros)
    const before = process.memoryUsage().arrayBuffers
    expect(decodeBody(bomb, encoding, 1_000)).toEqual({ refused: 'batch_too_large' })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024)
  },
)

test('zero-filled bodies cost the same with the largest br window as with a small one', () => {
  const costOf = (bits: number): number => {
    const params = { [constants.BROTLI_PARAM_LGWIN]: bits, [constants.BROTLI_PARAM_QUALITY]: 5 }
    const bomb = brotliCompressSync(zeros, { params })
    const before = process.threadCpuUsage()
    for (let count = 0; count < 20; count++) {
      expect(decodeBody(bomb, 'br', 512_000)).toEqual({ refused: 'batch_too_large' })
    }
    const { user, system } = process.threadCpuUsage(before)
    return user + system
  }
  costOf(19)
  expect(costOf(24)).toBeLessThan(5 * costOf(19))
})
