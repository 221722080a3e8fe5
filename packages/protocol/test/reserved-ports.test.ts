import { expect, test } from 'vitest'
import { portRefusal, RESERVED_PORTS } from '../src/reserved-ports.ts'

const NONE: ReadonlySet<number> = new Set()

test.each([22, 25, 445, 2375, 3306, 5432, 6379, 9092, 9200, 11_211, 27_017])(
  'port %i is refused for webhooks unless it is allowed',
  (port) => {
    expect(portRefusal(port, NONE)).toBeTypeOf('string')
    expect(portRefusal(port, new Set([port]))).toBeUndefined()
    expect(portRefusal(port, new Set([port + 1]))).toBeTypeOf('string')
  },
)

test.each([80, 443, 3000, 4800, 5000, 8000, 8080, 8443, 8888, 9000, 9443, 49_152, 65_535])(
  'port %i is allowed',
  (port) => {
    expect(portRefusal(port, NONE)).toBeUndefined()
  },
)

test('every entry names a service', () => {
  expect(RESERVED_PORTS.size).toBeGreaterThan(110)
  expect(RESERVED_PORTS.get(5432)).toBe('PostgreSQL')
  expect(RESERVED_PORTS.get(10_080)).toBe('Amanda')
  expect(RESERVED_PORTS.get(445)).toBe('SMB')
  for (const service of RESERVED_PORTS.values()) expect(service).not.toMatch(/^$|\s{2}|,/)
})
