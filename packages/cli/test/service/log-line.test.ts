import { createLogger } from '@hookline/server'
import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { logLine } from '../../src/service/log-line.ts'

it('formats a line of the log as time, level, message and fields', () => {
  const lines: string[] = []
  const logger = createLogger('info', { write: (line) => lines.push(logLine(line)) })
  logger.warn({ host: 'example.com', attempt: 2, err: new Error('away') }, 'attempt.failed')
  expect(stripVTControlCharacters(lines[0]!)).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} warn {2}attempt\.failed host=example\.com attempt=2 error=away$/,
  )
})
