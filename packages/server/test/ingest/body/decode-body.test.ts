import { randomBytes } from 'node:crypto'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { decodeBody } from '../../../src/ingest/request-body.ts'

const MAX = 1000
const text = '{"name":"Zoë"}'
const plain = Buffer.from(text)
const decoded = { text, bytes: plain.length, isUtf8: true }

describe('a body', () => {
  test.each([
    [undefined, plain],
    ['identity', plain],
    ['gzip', gzipSync(plain)],
    ['x-gzip', gzipSync(plain)],
    [' GZIP ', gzipSync(plain)],
    ['deflate', deflateSync(plain)],
    ['deflate', deflateRawSync(plain)],
    ['br', brotliCompressSync(plain)],
  ])('is decoded with Content-Encoding %s', (encoding, bytes) => {
    expect(decodeBody(bytes, encoding, MAX)).toEqual(decoded)
  })

  test('is decoded without its byte order mark', () => {
    const marked = Buffer.from(`\uFEFF${text}`)
    expect(decodeBody(marked, undefined, MAX)).toEqual({
      ...decoded,
      bytes: marked.length,
    })
    expect(decodeBody(gzipSync(marked), 'gzip', MAX)).toMatchObject({ text })
  })

  test('is decoded with U+FFFD for bytes that are not UTF-8', () => {
    expect(decodeBody(Buffer.from([0x22, 0xff, 0x22]), undefined, MAX)).toMatchObject({
      text: '"\uFFFD"',
      isUtf8: false,
    })
  })

  test.each([
    ['gzip', plain],
    ['deflate', plain],
    ['br', plain],
    ['gzip', gzipSync(plain).subarray(0, -9)],
    ['gzip, br', plain],
    ['zstd', plain],
    ['constructor', plain],
    ['deflate', Buffer.alloc(0)],
  ])('is refused if it does not match Content-Encoding %s', (encoding, bytes) => {
    expect(decodeBody(bytes, encoding, MAX)).toEqual({ refused: 'invalid_json' })
  })

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('is decompressed by %s no further than the limit', (encoding, compress) => {
    expect(decodeBody(compress(Buffer.alloc(MAX)), encoding, MAX)).toMatchObject({ bytes: MAX })
    const bomb = compress(Buffer.alloc(64 * 1024 * 1024))
    expect(decodeBody(bomb, encoding, MAX)).toEqual({ refused: 'batch_too_large' })
  })

  test.each([10, 16, 17, 18, 19, 20, 22, 24])(
    'is decompressed by br with a window of 2^%s bytes',
    (bits) => {
      const params = { [constants.BROTLI_PARAM_LGWIN]: bits }
      for (const limit of [1_000, 512_000, 2_000_000]) {
        // The end repeats the start, so the distance is as long as the body allows.
        const noise = randomBytes(300).toString('hex')
        const long = noise.padEnd(limit - noise.length).slice(0, limit - noise.length) + noise
        const compressed = brotliCompressSync(long, { params })
        expect(decodeBody(compressed, 'br', limit)).toEqual({
          text: long,
          bytes: long.length,
          isUtf8: true,
        })
      }
    },
  )
})
