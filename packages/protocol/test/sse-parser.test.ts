import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SseParser } from '../src/sse-parser.ts'

const STREAM = [
  'retry: 1000\n\n',
  'id: run-0\n\n',
  'id: run-1\nevent: event\ndata: {"a":1}\n\n',
  'event: counts\ndata: {"b":2}\n\n',
  'id: run-2\n: heartbeat\n\n',
  'id: run-3\nevent: event\ndata: {"c":3}\n\n',
].join('')

const MESSAGES = [
  { id: 'run-1', name: 'event', data: '{"a":1}' },
  { id: 'run-1', name: 'counts', data: '{"b":2}' },
  { id: 'run-3', name: 'event', data: '{"c":3}' },
]

test('the messages do not depend on where chunks end', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(STREAM.length)), (ends) => {
      const parser = new SseParser()
      const cuts = [0, ...ends.toSorted((a, b) => a - b), STREAM.length]
      const chunks = cuts.slice(1).map((end, index) => STREAM.slice(cuts[index], end))
      expect(chunks.flatMap((chunk) => parser.push(chunk))).toEqual(MESSAGES)
      expect(parser.lastId).toBe('run-3')
    }),
  )
})

test('wherever the connection breaks, the last id belongs to a complete message', () => {
  for (let end = 0; end <= STREAM.length; end += 1) {
    const parser = new SseParser()
    const seen = parser.push(STREAM.slice(0, end))
    const hasLast = parser.lastId === 'run-3'
    expect([end, seen.some(({ id }) => id === 'run-3')]).toEqual([end, hasLast])
    expect(['', 'run-0', 'run-1', 'run-2', 'run-3']).toContain(parser.lastId)
  }
})
