import { createLogger } from '@hookline/server'
import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { logLine } from '../../src/service/open-service.ts'

it('formats a log line as time, level, message and fields', () => {
  const lines: string[] = []
  const logger = createLogger('info', { write: (line) => lines.push(logLine(line)) })
  logger.warn({ webhook: 'example.com', status: 502, err: new Error('away') }, 'webhook.failing')
  expect(stripVTControlCharacters(lines[0]!)).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} warn {2}webhook\.failing webhook=example\.com status=502 error=away$/,
  )
})

it('quotes a value with spaces, to separate it from the next field', () => {
  const json = {
    level: 30,
    time: new Date().toISOString(),
    msg: 'x',
    destination: 'My "shop"',
    a: 1,
  }
  expect(stripVTControlCharacters(logLine(JSON.stringify(json)))).toMatch(
    / destination="My \\"shop\\"" a=1$/,
  )
})
